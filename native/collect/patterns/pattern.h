// Regular expressions of users, matched in time linear in the text: an NFA simulated with all threads at once (Thompson, Pike), no
// backtracking.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collect/patterns/pattern_tree.h"

namespace ringlab {

/// Syntax as in Python and JavaScript: literals, `.`, [classes], \d \w \s \D \W \S \b \B \t, ^ $, | ( ) (?: ) (?<name> ) (?P<name> ), * + ? {m,n} and their
/// lazy forms, (?i) at the start. No back references or look-around: they cannot be matched in linear time. Works on bytes: `.` is one
/// byte of a character beyond ASCII.
class Pattern {
 public:
  /// Throws PatternError. At most 1,000 bytes; repeats multiply, up to 2,000 instructions.
  explicit Pattern(std::string_view expression);

  static constexpr size_t kMaxGroups = 10;  ///< the whole match is group 0
  using Groups = std::array<std::optional<std::string_view>, kMaxGroups>;

  /// The first match, of those that start there the one that Python would find; nothing without one.
  std::optional<Groups> search(std::string_view text) const;
  /// The number of a named group; 0 if there is none.
  size_t group(std::string_view name) const;
  size_t groups() const { return groups_; }

 private:
  friend class PatternCompiler;
  enum class Op : uint8_t { set, split, jump, save, start, end, boundary, no_boundary, match };
  struct Instruction {
    Op op = Op::match;
    uint32_t x = 0;  ///< set: index of the set; split, jump: next; save: slot
    uint32_t y = 0;  ///< split: second choice
  };
  using Slots = std::array<uint32_t, 2 * kMaxGroups>;
  struct Thread {
    uint32_t at;
    Slots slots;
  };
  struct Threads {
    std::vector<Thread> list;
    std::vector<uint32_t> mark;  ///< the position at which an instruction was added last, plus one
  };
  void add(Threads& threads, uint32_t start, const Slots& slots, std::string_view text, size_t position) const;

  std::vector<Instruction> program_;
  std::vector<std::bitset<256>> sets_;
  std::vector<std::pair<std::string, size_t>> names_;
  size_t groups_ = 0;
  std::string needed_;  ///< a text that every match contains: looked for first
};

}  // namespace ringlab
