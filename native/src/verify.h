// `ringlab-train verify`: does what training needs work on this machine, on each of its devices?
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// `[--gpus N]`: on the first N GPUs (0: on the CPU; without it: on all that libtorch sees, else on the CPU) takes memory,
/// runs a convolution forward and backward, compared with plain loops, and an all-reduce of one rank. Prints one JSON
/// object (PROTOCOL.md); returns 0 where all devices passed, else 1. Throws Failure (usage).
int verify_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
