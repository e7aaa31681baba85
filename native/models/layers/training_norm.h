// Batch norm of one process in training, on the CPU: libtorch's numbers to the bit, in less time.
#pragma once

#include <ATen/core/Tensor.h>

namespace ringlab {

/// What a batch norm in training does: updates the running statistics, returns the normalised input.
struct NormState {
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor running_mean;
  at::Tensor running_var;
  double momentum = 0.1;
  double eps = 1e-5;
};

/// Is training_norm() libtorch's batch norm for such an input? It is for contiguous floats on the CPU, where this CPU has what its loops
/// need, and where they gave libtorch's results to the bit when they were tried at the first call: how libtorch adds and rounds depends on
/// its version and on the compiler that built it.
bool can_train_norm(const at::Tensor& input, const NormState& state);

/// Only where can_train_norm(). Backward is libtorch's numbers to the bit, too: our own loops (norm_gradients.h), or libtorch's where these gave
/// other bits when they were tried, or where the gradient is not contiguous floats.
at::Tensor training_norm(const at::Tensor& input, const NormState& state);

}  // namespace ringlab
