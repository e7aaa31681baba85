// A value of rank 0 for everyone.
#pragma once

#include "checkpoint/value.h"
#include "comm/communicator.h"

namespace ringlab {

/// A collective: gives every rank a copy of rank 0's `value`, whose tensors may be large. Throws what c10d throws.
Value share_value(Communicator& communicator, const Value& value);

}  // namespace ringlab
