// `ringlab-train collect`: follows what the scripts of a node's ranks write, and appends metrics lines (PROTOCOL.md).
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// Runs until SIGTERM, or until all ranks have ended and everything has been read. Returns the exit code; throws Failure (usage).
int collect_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
