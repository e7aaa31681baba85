// Equal weights on all ranks before the first step, for as few bytes as that takes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "comm/collectives/communicator.h"

namespace ringlab {

/// Parameters and buffers by their names.
using NamedModel = std::vector<std::pair<std::string, at::Tensor>>;

/// Equal on all ranks.
struct Lacks {
  std::vector<bool> pieces;  ///< true for each that any rank lacks
  std::vector<int> chain;    ///< the root, then the ranks that lack any
};

/// A collective: broadcasts `root`'s `hashes` of its pieces (other ranks give a tensor of the same length, which is overwritten) and asks
/// `has` on every rank whether it has the piece with that hash.
Lacks agree_on_lacking(Communicator& communicator, at::Tensor hashes, const std::function<bool(size_t piece, int64_t hash)>& has, int root = 0);

/// A collective: gives `root`'s tensors, the first of `chain`, to the others of it. Same shapes and types on all ranks; those that are not in `chain` keep theirs.
void send_along(Communicator& communicator, const std::vector<at::Tensor>& tensors, const std::vector<int>& chain);

/// What at least one rank lacks.
struct Lacking {
  int64_t tensors = 0;
  int64_t bytes = 0;
};

/// A collective: gives every rank `root`'s `model`; the result is that of a broadcast, to the bit. Compares XXH64 of each tensor's bytes, in the
/// order of its indices (NaN equals the same NaN, -0 differs from 0), and sends only tensors that differ on any rank, to the ranks that lack any. Two different
/// tensors have the same hash with a probability of 2^-64. Equal models exchange 24 bytes.
/// If anything has to be sent, `before_sending` is called on every rank first.
/// Throws Failure (peer_disagrees) on every rank if names, types or shapes differ on any, with the first difference of each rank; c10d's exceptions.
Lacking share_model(Communicator& communicator, const NamedModel& model, const std::function<void(const Lacking&)>& before_sending = {}, int root = 0);

}  // namespace ringlab
