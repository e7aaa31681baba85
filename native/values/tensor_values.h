// Between libtorch's tensors and a checkpoint's values.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// Shares the memory of a CPU tensor without gaps; anything else is copied. Throws std::runtime_error for an element type
/// that checkpoints do not hold.
Value value_of(const at::Tensor& tensor);

/// Shares the value's storage: clone it before changing it.
at::Tensor tensor_of(const Value& value);

/// Copies the values of a state_dict (with or without `module.` before its names) into tensors of the same names.
/// Throws std::runtime_error that lists what is missing, unexpected or of another shape, and changes nothing then.
void load_state_dict(const Value& state_dict, const std::vector<std::pair<std::string, at::Tensor>>& into);

}  // namespace ringlab
