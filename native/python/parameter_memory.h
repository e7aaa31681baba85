// Where a script's parameters lie, and of which types they are.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "sync/compressor.h"

namespace ringlab {

/// The tensors with their orders of values in their names: where values are exchanged as they lie in memory, another memory format is another model. A dimension
/// of one value has no order.
NamedTensors with_order(const NamedTensors& tensors);

std::vector<at::Tensor> tensors_of(const NamedTensors& named);

/// For a mode that keeps all weights in float32, where the rest of a double would be lost with each exchange: throws Failure for the first parameter of float64.
void refuse_doubles(const NamedTensors& parameters, const std::string& mode);

/// Notices where a script gives parameters other memory (`p.data = …`, torch's vector_to_parameters), which a tensor that was detached before does not follow.
/// For the training thread.
class ParameterMemory {
 public:
  explicit ParameterMemory(const NamedTensors& parameters);

  /// Does any lie elsewhere than at the last call? `parameters` are the same ones. Throws std::runtime_error where one has another shape, type, device or order
  /// of values, too.
  bool moved(const NamedTensors& parameters);

 private:
  std::vector<at::Tensor> known_;  ///< detached
};

}  // namespace ringlab
