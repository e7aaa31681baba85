// Options that are right each for itself and cannot be together.
#pragma once

#include "src/launch.h"
#include "src/options.h"

namespace ringlab {

/// What the options alone tell. Throws Failure (usage) on one line that names both and what is valid.
void check_combinations(const Options& options);

/// What also depends on the number of processes and on the device. Throws Failure (usage).
void check_combinations(const Options& options, const Launch& launch, const Capabilities& capabilities);

}  // namespace ringlab
