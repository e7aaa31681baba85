// `ringlab-train try-patterns`: what a user's patterns find in lines of a log, for the preview beside their fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringlab {

/// `{"patterns":["loss=([0-9.]+)",…],"lines":["…",…]}` to one JSON object (PROTOCOL.md, 'Trying patterns'): an error for each pattern that
/// is not understood, and for each line its text without escape sequences and the matches, with their places in bytes. At most 50 patterns
/// and 2,000 lines. Throws Failure (usage) for anything else.
std::string try_patterns(std::string_view json);

/// The same from standard input to standard output. Returns the exit code.
int try_patterns_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
