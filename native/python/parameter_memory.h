// Where a script's parameters lie.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "sync/compressor.h"

namespace ringlab {

/// The tensors with their orders of values in their names: where values are exchanged as they lie in memory, another memory format is another model. A dimension
/// of one value has no order.
NamedTensors with_order(const NamedTensors& tensors);

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
