// Python's dicts and JSON objects in a printed line, with the text before them.
#pragma once

#include <string_view>
#include <vector>

namespace ringlab {

struct PrintedDict {
  std::string_view before;  ///< since the dict before it: `Epoch 3 val `
  std::string_view text;    ///< `{'loss': 0.5}`
};

/// The outermost dicts of `Train {'loss': 0.5} Val {'loss': 0.6}`; at most kMaxDicts, and none from a brace on that is not closed. Linear in the line's length.
std::vector<PrintedDict> dicts_of(std::string_view line);
constexpr size_t kMaxDicts = 8;

/// The last word of a text that means a phase: what follows is that phase's. "" without one.
std::string_view last_phase_in(std::string_view text);

/// Whether `best` is a word of the text: what follows was found before.
bool says_best(std::string_view text);

}  // namespace ringlab
