#include "collect/try_patterns.h"

#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "collect/printed/plain_line.h"
#include "collect/patterns/user_patterns.h"
#include "collect/records/json_reader.h"

namespace ringlab {
namespace {

constexpr size_t kMaxPatterns = 50;
constexpr size_t kMaxLines = 2000;
constexpr size_t kMaxInput = size_t{4} << 20;

const JsonValue& list_of(const std::optional<JsonValue>& asked, const char* name, size_t max_items) {
  const JsonValue* list = asked ? asked->find(name) : nullptr;
  if (list == nullptr || list->kind != JsonValue::Kind::array || list->items.size() > max_items) {
    throw Failure(ErrorCode::usage, std::string("try-patterns: '") + name + "' is no list of at most " + std::to_string(max_items) + " texts");
  }
  return *list;
}

std::string match_json(size_t index, const PatternMatch& match) {
  JsonObject object;
  object.add("pattern", static_cast<uint64_t>(index)).add("begin", static_cast<uint64_t>(match.begin)).add("end", static_cast<uint64_t>(match.end));
  if (match.value) object.add("value", *match.value);
  if (match.step) object.add("step", *match.step);
  if (match.epoch) object.add("epoch", *match.epoch);
  return object.str();
}

}  // namespace

std::string try_patterns(std::string_view json) {
  const auto asked = read_json(json);
  std::vector<std::optional<Pattern>> patterns;
  std::vector<std::string> errors;
  for (const auto& item : list_of(asked, "patterns", kMaxPatterns).items) {
    try {
      patterns.emplace_back(Pattern(item.text));
      errors.emplace_back("null");
    } catch (const PatternError& error) {
      patterns.emplace_back(std::nullopt);
      errors.push_back(json_string(error.what()));
    }
  }
  std::vector<std::string> lines;
  std::string shown;
  for (const auto& item : list_of(asked, "lines", kMaxLines).items) {
    without_escapes(std::string_view(item.text).substr(0, kMaxPrintedLine), shown);
    std::vector<std::string> matches;
    for (size_t index = 0; index < patterns.size(); ++index) {
      const auto match = patterns[index] ? match_pattern(*patterns[index], shown) : std::nullopt;
      if (match) matches.push_back(match_json(index, *match));
    }
    lines.push_back(JsonObject().add("text", shown).add_raw("matches", json_array(matches)).str());
  }
  return JsonObject().add_raw("errors", json_array(errors)).add_raw("lines", json_array(lines)).str();
}

int try_patterns_command(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) throw Failure(ErrorCode::usage, "try-patterns takes no arguments: it reads standard input");
  std::string input;
  std::string part(size_t{1} << 16, '\0');
  while (const size_t count = std::fread(part.data(), 1, part.size(), stdin)) {
    input.append(part, 0, count);
    if (input.size() > kMaxInput) throw Failure(ErrorCode::usage, "try-patterns: more than 4 MiB on standard input");
  }
  std::printf("%s\n", try_patterns(input).c_str());
  return 0;
}

}  // namespace ringlab
