// What a forward pass changes although its step may not be completed: a rank that loses others in a step goes back to its start.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// Running statistics of batch norm, and random generators. For the training thread.
class StepStart {
 public:
  /// `buffers` of the model, and its device.
  StepStart(std::vector<at::Tensor> buffers, at::Device device) : buffers_(std::move(buffers)), device_(device) {}

  /// Before each step: `step` is its number over the whole run.
  void keep(int64_t step);
  /// Back to the start of `step`, if that one was kept last.
  void restore(int64_t step);

 private:
  const std::vector<at::Tensor> buffers_;
  const at::Device device_;
  std::vector<at::Tensor> kept_;
  Value generators_;
  int64_t step_ = -1;
};

}  // namespace ringlab
