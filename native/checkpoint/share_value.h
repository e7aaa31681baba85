// Broadcasts a value of rank 0 to all ranks.
#pragma once

#include "comm/collectives/communicator.h"
#include "values/value.h"

namespace ringlab {

/// A collective: gives every rank a copy of rank 0's `value`, whose tensors may be large. Throws c10d's exceptions.
Value share_value(Communicator& communicator, const Value& value);

}  // namespace ringlab
