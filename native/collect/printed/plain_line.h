// A printed line without what is only for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace ringlab {

/// Longer lines are cut: no program prints its metrics behind that.
constexpr size_t kMaxPrintedLine = 4096;

/// Without escape sequences and control characters (a tab is two spaces); bars and other symbols beyond ASCII are '|', full-width punctuation is ASCII. Letters
/// of all languages stay. `out` is overwritten.
void plain_line(std::string_view line, std::string& out);

/// The line as a terminal shows it: without escape sequences and other control characters than tabs.
void without_escapes(std::string_view line, std::string& out);

}  // namespace ringlab
