// Conversion between libtorch's tensors and a checkpoint's values.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// Shares the memory of a CPU tensor without gaps; others are copied. Throws std::runtime_error for an element type that
/// checkpoints do not support.
Value value_of(const at::Tensor& tensor);

/// Shares the value's storage: clone it before changing it.
at::Tensor tensor_of(const Value& value);

/// Copies the values of a state_dict (with or without the prefix `module.`) into tensors of the same names. Throws
/// std::runtime_error that lists missing and unexpected names and different shapes, and then changes nothing.
void load_state_dict(const Value& state_dict, const std::vector<std::pair<std::string, at::Tensor>>& into);

}  // namespace ringlab
