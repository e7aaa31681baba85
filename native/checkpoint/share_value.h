// Broadcasts a value of one rank to all.
#pragma once

#include <cstdint>
#include <functional>

#include "comm/collectives/communicator.h"
#include "values/value.h"

namespace ringlab {

/// A collective: gives every rank a copy of `root`'s `value`, whose tensors may be large. `own` is a value that another rank already
/// has, from a file for example: storages of equal size and XXH64 are copied from it, and sent only to ranks that lack any: `announce` gets
/// their bytes before, on every rank.
/// Throws Failure (peer_disagrees) if the size of a pickle or storage is implausible, PickleError, and c10d's exceptions.
Value share_value(Communicator& communicator, const Value& value, const Value& own = {}, const std::function<void(int64_t bytes)>& announce = {}, int root = 0);

}  // namespace ringlab
