#include "sync/sgd.h"

#include <c10/core/GradMode.h>

namespace ringlab {

Sgd::Sgd(std::vector<at::Tensor> parameters, SgdSettings settings)
    : parameters_(std::move(parameters)), buffers_(parameters_.size()), settings_(settings) {}

void Sgd::zero_grad() {
  const c10::AutoGradMode no_grad(false);
  for (auto& parameter : parameters_) {
    if (parameter.grad().defined()) parameter.mutable_grad().zero_();
  }
}

void Sgd::step(double lr) {
  const c10::AutoGradMode no_grad(false);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& parameter = parameters_[i];
    if (!parameter.grad().defined()) continue;
    at::Tensor direction = parameter.grad().detach();
    if (settings_.weight_decay != 0) direction.add_(parameter, settings_.weight_decay);
    if (settings_.momentum != 0) {
      if (!buffers_[i].defined()) buffers_[i] = direction.clone();
      else buffers_[i].mul_(settings_.momentum).add_(direction);
      direction = buffers_[i];
    }
    parameter.add_(direction, -lr);
  }
}

double step_lr(double initial, double gamma, int step_size, int64_t epoch) {
  double lr = initial;
  for (int64_t e = 1; e <= epoch; ++e) {
    if (e % step_size == 0) lr *= gamma;
  }
  return lr;
}

}  // namespace ringlab
