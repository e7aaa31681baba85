// Options that are each valid but exclude each other.
#pragma once

#include "options/options.h"

namespace ringlab {

/// Checks the options alone; launch/launch.cpp has the checks that also depend on the processes and on the device.
/// Throws Failure (usage) with one line that names both options and the valid ones.
void check_combinations(const Options& options);

}  // namespace ringlab
