// torch.optim.SGD with momentum and weight decay, and StepLR: the same operations in the same order as Python's.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ringlab {

struct SgdSettings {
  double momentum = 0.9;
  double weight_decay = 1e-4;
};

class Sgd {
 public:
  Sgd(std::vector<at::Tensor> parameters, SgdSettings settings);

  /// One step with the gradients in `grad`, which weight decay changes. Parameters without a gradient are left alone.
  void step(double lr);
  /// Zeroes the gradients in place: they are views into the Reducer's buckets.
  void zero_grad();

  const SgdSettings& settings() const { return settings_; }
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  /// One a parameter, undefined before its first step.
  std::vector<at::Tensor>& momentum_buffers() { return buffers_; }

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> buffers_;
  SgdSettings settings_;
};

/// StepLR's learning rate in `epoch` (from 0), multiplied up epoch by epoch as Python does.
double step_lr(double initial, double gamma, int step_size, int64_t epoch);

}  // namespace ringlab
