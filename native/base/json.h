// Writes one JSON object on one line, as needed for metrics lines, facts and samples, and texts in valid UTF-8. There is no parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringlab {

/// `text` as a JSON string with its quotes; bytes that are not valid UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// `text` with bytes that are not valid UTF-8 as `\xb9`, as by Python's errors="backslashreplace": texts that differ in such bytes still differ.
std::string valid_utf8(std::string_view text);

/// A number in its shortest exact form; non-finite ones become the strings "NaN", "Infinity", "-Infinity" with quotes.
std::string json_number(double value);

/// Builds `{"a":1,…}` field by field, in the order of the calls. Duplicate keys are not checked.
class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view value);
  JsonObject& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
  JsonObject& add(std::string_view key, const std::string& value) { return add(key, std::string_view(value)); }
  JsonObject& add(std::string_view key, double value);
  JsonObject& add(std::string_view key, int64_t value);
  JsonObject& add(std::string_view key, int value) { return add(key, static_cast<int64_t>(value)); }
  JsonObject& add(std::string_view key, uint64_t value);
  JsonObject& add(std::string_view key, bool value);
  /// `json` is already JSON: an object, an array, null.
  JsonObject& add_raw(std::string_view key, std::string_view json);
  /// Appends all fields of `other`.
  JsonObject& add_all(const JsonObject& other);

  bool empty() const { return fields_.empty(); }
  std::string str() const { return "{" + fields_ + "}"; }

 private:
  void key(std::string_view key);
  std::string fields_;
};

/// `[a,b,…]` from elements that are already JSON.
std::string json_array(const std::vector<std::string>& elements);

}  // namespace ringlab
