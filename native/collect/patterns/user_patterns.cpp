#include "collect/patterns/user_patterns.h"

#include <algorithm>

#include "collect/records/json_reader.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

constexpr size_t kMaxPatterns = 50;
constexpr size_t kMaxLineBytes = 2000;  ///< of a line, the rest is not looked at: fifty patterns a line take their time

std::optional<double> number_of_group(const Pattern::Groups& groups, size_t group) {
  if (group == 0 || !groups[group]) return std::nullopt;
  double number = 0;
  const std::string_view text = *groups[group];
  return !text.empty() && number_at(text, number) == text.size() ? std::optional<double>(number) : std::nullopt;
}

}  // namespace

UserPatterns read_user_patterns(std::string_view json) {
  UserPatterns patterns;
  const auto list = read_json(json);
  if (!list || list->kind != JsonValue::Kind::array) {
    patterns.problems.emplace_back("the file of patterns is no JSON list");
    return patterns;
  }
  for (const auto& item : list->items) {
    const JsonValue* name = item.find("name");
    const JsonValue* pattern = item.find("pattern");
    if (name == nullptr || pattern == nullptr || name->text.empty() || pattern->text.empty()) {
      patterns.problems.emplace_back("a pattern lacks its name or its text");
      continue;
    }
    if (patterns.list.size() >= kMaxPatterns) {
      patterns.problems.emplace_back("more than 50 patterns: further ones are not used");
      break;
    }
    try {
      patterns.list.push_back({name->text, Pattern(pattern->text)});
    } catch (const PatternError& error) {
      patterns.problems.push_back("pattern '" + name->text.substr(0, 80) + "': " + error.what());
    }
  }
  return patterns;
}

std::optional<PatternMatch> match_pattern(const Pattern& pattern, std::string_view line) {
  const auto groups = pattern.search(line.substr(0, kMaxLineBytes));
  if (!groups) return std::nullopt;
  PatternMatch match;
  const std::string_view whole = (*groups)[0].value_or("");
  match.begin = whole.empty() ? 0 : static_cast<size_t>(whole.data() - line.data());
  match.end = match.begin + whole.size();
  match.step = number_of_group(*groups, pattern.group("step"));
  match.epoch = number_of_group(*groups, pattern.group("epoch"));
  const size_t named = pattern.group("value");
  size_t first = 1;
  while (first == pattern.group("step") || first == pattern.group("epoch")) ++first;
  match.value = number_of_group(*groups, named > 0 ? named : std::min(first, Pattern::kMaxGroups - 1));
  double number = 0;
  if (!match.value && pattern.groups() == 0 && !whole.empty() && number_at(whole, number) == whole.size()) match.value = number;
  return match;
}

bool match_user_patterns(const UserPatterns& patterns, std::string_view line, Found& record) {
  bool matched = false;
  for (const auto& [name, pattern] : patterns.list) {
    const auto match = match_pattern(pattern, line);
    if (!match) continue;
    if (match->step) record.step = match->step;
    if (match->epoch) record.epoch = match->epoch;
    if (!match->value) continue;
    record.values.emplace_back(name, *match->value);
    matched = true;
  }
  return matched;
}

}  // namespace ringlab
