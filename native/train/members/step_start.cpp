#include "train/members/step_start.h"

#include <ATen/Functions.h>
#include <torch/utils.h>

#include "checkpoint/generators.h"

namespace ringlab {

void StepStart::keep(int64_t step) {
  // Copies of all in a few kernels; one by one they would take longer on a GPU than a step of a small model allows.
  if (!buffers_.empty()) kept_ = at::_foreach_add(buffers_, 0);
  generators_ = generator_states(device_);
  step_ = step;
}

void StepStart::restore(int64_t step) {
  if (step != step_) return;
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < kept_.size(); ++i) buffers_[i].copy_(kept_[i]);
  restore_generators(generators_, device_);
}

}  // namespace ringlab
