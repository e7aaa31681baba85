// `ringlab-train link SOCKET`: emulates the delay, jitter and loss of links where the kernel has no netem.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// Reads a table of links (link_table.h) from standard input and joins their TAP devices. One process a socket does so in the background: the first
/// call starts it and returns when the devices are joined; later ones pass it their table. It ends when the devices are deleted, or with an empty
/// table. Needs root. Returns the exit code; throws Failure.
int link_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
