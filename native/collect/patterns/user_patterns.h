// Patterns that a user wrote for the lines of a script.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collect/patterns/pattern.h"
#include "collect/records/reader.h"

namespace ringlab {

struct UserPattern {
  std::string name;  ///< of the value
  Pattern pattern;
};

struct UserPatterns {
  std::vector<UserPattern> list;
  std::vector<std::string> problems;  ///< patterns that are not understood
};

/// `[{"name":"loss","pattern":"loss is (\\d+)"},…]`, at most 50. The value is the group `value`, else the first group, else the whole match;
/// groups `step` and `epoch` are the axes. Never throws: what is wrong is in `problems`.
UserPatterns read_user_patterns(std::string_view json);

/// What one pattern finds in a line: the whole match, and the numbers in it.
struct PatternMatch {
  size_t begin = 0;  ///< bytes from the line's start
  size_t end = 0;
  std::optional<double> value;  ///< nothing where the match is no number
  std::optional<double> step;
  std::optional<double> epoch;
};

/// The first match in a line (without escape sequences), of which the start is looked at; nothing without one.
std::optional<PatternMatch> match_pattern(const Pattern& pattern, std::string_view line);

/// Adds what the patterns find in a line (without escape sequences) to `record`. True if one matched.
bool match_user_patterns(const UserPatterns& patterns, std::string_view line, Found& record);

}  // namespace ringlab
