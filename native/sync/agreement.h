// Proof that all ranks hold the same model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "comm/collectives/communicator.h"

namespace ringlab {

/// XXH64 over the bytes of all tensors, in order.
uint64_t parameter_hash(const std::vector<std::pair<std::string, at::Tensor>>& tensors);

/// A collective: compares the hash over all ranks. Throws Failure (peer_disagrees) on every rank, naming those that
/// differ from rank 0, and `when`: "epoch 4" is over.
void check_sync(Communicator& communicator, const std::vector<std::pair<std::string, at::Tensor>>& parameters, const std::string& when);

}  // namespace ringlab
