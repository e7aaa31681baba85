// Reads JSON of other programs, and Python's printed dicts: into a tree, with limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringlab {

struct JsonValue {
  enum class Kind { null, boolean, number, text, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;  ///< in the text's order; duplicate keys are kept

  /// The last member of this name; null without one, and for a value that is no object.
  const JsonValue* find(std::string_view name) const;
};

/// A whole text as JSON; nothing if it is not, or nested deeper than 32, or has more than 20,000 values. NaN, Infinity and -Infinity, which
/// Python's json writes, are numbers. Bytes that are not UTF-8 are kept in texts.
std::optional<JsonValue> read_json(std::string_view text);

/// The same for what Python prints of a dict or list: single quotes, True, False, None, nan, inf; `np.float64(0.5)` and `tensor(0.5, …)`
/// are numbers.
std::optional<JsonValue> read_python(std::string_view text);

/// The number that a metrics line says, with the texts "NaN", "Infinity" and "-Infinity"; nothing for anything else.
std::optional<double> metric_number(const JsonValue& value);
/// The same of an object's member; nothing where it has none of that name.
std::optional<double> number_of_member(const JsonValue& object, const char* name);

/// The value as JSON again.
std::string json_text(const JsonValue& value);

}  // namespace ringlab
