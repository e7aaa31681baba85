// `ringlab-train [options] DIR`, from parsed options to an exit code.
#pragma once

#include "options/options.h"

namespace ringlab {

/// Trains, and reports any end in the metrics file and on stderr. Returns the exit code; if other threads may hang in a
/// broken collective it exits the process itself.
int train_command(const Options& options);

}  // namespace ringlab
