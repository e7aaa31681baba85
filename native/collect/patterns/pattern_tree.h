// The tree of a regular expression (pattern.h).
#pragma once

#include <bitset>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringlab {

/// Why an expression is not understood.
struct PatternError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct PatternNode {
  static constexpr uint32_t kNoLimit = UINT32_MAX;
  enum class Kind { set, sequence, choice, repeat, group, start, end, boundary, no_boundary };
  Kind kind = Kind::sequence;
  std::bitset<256> set;  ///< the bytes that match
  std::vector<PatternNode> inner;
  uint32_t min = 0;
  uint32_t max = 0;
  bool lazy = false;
  size_t group = 0;
};

struct PatternTree {
  PatternNode root;
  std::vector<std::pair<std::string, size_t>> names;  ///< of groups
  size_t groups = 0;                                  ///< without the whole match
  bool fold = false;                                  ///< (?i)
};

/// Throws PatternError; at most `max_groups` groups.
PatternTree parse_pattern(std::string_view expression, size_t max_groups);

}  // namespace ringlab
