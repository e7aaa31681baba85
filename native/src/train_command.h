// `ringlab-train [options] DIR`, from parsed options to an exit code.
#pragma once

#include "options/options.h"

namespace ringlab {

/// Trains, and accounts for the end in the metrics file and on stderr, whatever it is. Returns the exit code; where other
/// threads may hang in a broken collective it ends the process itself.
int train_command(const Options& options);

}  // namespace ringlab
