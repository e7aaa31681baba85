// `ringlab-train verify`: tests what training needs on each of this machine's devices.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// `[--gpus N]`: on the first N GPUs (0: on the CPU; by default on all that libtorch sees, else on the CPU) allocates
/// memory, runs a convolution forward and backward, compared with plain loops, and an all-reduce of one rank. Prints one
/// JSON object (PROTOCOL.md); returns 0 if all devices passed, else 1. Throws Failure (usage).
int verify_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
