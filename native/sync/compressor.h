// Averages of tensors over all ranks, exact or approximate.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/collectives/communicator.h"
#include "sync/mode.h"

namespace ringlab {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// One rank's side of an average. All ranks call average() in one order with the same `which`: from the communicator's
/// thread, or from one thread while nothing else communicates. What was left out of an approximation is kept a parameter
/// and added the next time (error feedback), so that in the long run nothing is lost: the sum of all results plus the mean
/// of what is kept equals the sum of all means.
class Compressor {
 public:
  virtual ~Compressor() = default;

  /// `values[i]` belongs to parameter `which[i]` and has its shape, of any floating type: this rank's values before, the
  /// mean over all ranks after, equal on all ranks to the bit.
  virtual void average(const std::vector<size_t>& which, std::vector<at::Tensor>& values) = 0;

  /// What was kept is not added: the values to come are of other weights.
  virtual void forget() {}

  /// What a resumed run needs to continue exactly, of this rank only. The tensors share memory with the compressor's.
  virtual NamedTensors state() const { return {}; }
  /// Takes state() back. Throws std::runtime_error where a tensor is not of this compressor.
  virtual void load_state(const NamedTensors& state);
};

/// The compressor of a mode for the parameters of these shapes; `stream` has none.
std::unique_ptr<Compressor> make_compressor(const SyncMode& mode, Communicator& communicator, const std::vector<at::Tensor>& parameters);

/// The values as one float vector, and back. Lengths are equal on all ranks.
at::Tensor flatten(const std::vector<at::Tensor>& values);
void unflatten(const at::Tensor& flat, std::vector<at::Tensor>& values);

}  // namespace ringlab
