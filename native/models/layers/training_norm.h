// Batch norm of one process in training, on the CPU: bit-identical to libtorch, but faster.
#pragma once

#include <ATen/core/Tensor.h>

namespace ringlab {

/// Batch norm in training: updates the running statistics, returns the normalised input.
struct NormState {
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor running_mean;
  at::Tensor running_var;
  double momentum = 0.1;
  double eps = 1e-5;
};

/// Is training_norm() bit-identical to libtorch's batch norm for such an input? True for contiguous floats on the CPU, if this
/// CPU supports its loops and a test at the first call gave libtorch's results bit for bit: libtorch's additions and roundings
/// depend on its version and compiler.
bool can_train_norm(const at::Tensor& input, const NormState& state);

/// Only if can_train_norm(). Backward is bit-identical to libtorch, too: by our own loops (norm_gradients.h), or by libtorch's if
/// the test of ours failed or the gradient is not contiguous floats.
at::Tensor training_norm(const at::Tensor& input, const NormState& state);

}  // namespace ringlab
