// Options that are each valid and exclude each other.
#pragma once

#include "options/options.h"

namespace ringlab {

/// What the options alone say; launch/launch.cpp has what also depends on the processes and on the device.
/// Throws Failure (usage) on one line that names both and what is valid.
void check_combinations(const Options& options);

}  // namespace ringlab
