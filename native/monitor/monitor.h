// `ringlab-train monitor`: one `sample` line per second about the node (PROTOCOL.md).
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// Runs until a signal, or until all watched processes have ended. Returns the exit code; throws Failure (usage).
int monitor_command(const std::vector<std::string>& arguments);

/// The process id in a pid file: {"pid":N,…} or a bare number; 0 if there is none yet.
int pid_in_file(const std::string& path);

}  // namespace ringlab
