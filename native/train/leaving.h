// A rank whose machine is shut down leaves alone where the others go on without it. PROTOCOL.md, 'Going on with fewer'.
#pragma once

#include "base/error.h"
#include "train/run.h"

namespace ringlab {

/// Thrown by a rank that leaves alone, once what it has learned is saved with the others.
class LeavesAlone : public Stopped {};

/// Whether this rank was asked to stop because its machine is shut down, and the others are to go on.
bool leaves_alone(const RunContext& run);

/// Whether this rank was asked to stop, and all others with it.
bool stops_all(const RunContext& run);

}  // namespace ringlab
