#include "optim/adam.h"

#include <ATen/Functions.h>

#include <cmath>
#include <utility>

namespace ringlab {

Adam::Adam(std::vector<at::Tensor> parameters, AdamSettings settings)
    : Optimizer(std::move(parameters), "Adam", {"step", "exp_avg", "exp_avg_sq"}), settings_(settings), moments_(this->parameters().size()) {}

void Adam::update(size_t index, at::Tensor parameter, at::Tensor gradient, double rate) {
  Moments& moments = moments_[index];
  if (!moments.steps.defined()) moments = {at::zeros({}, at::kFloat), at::zeros_like(parameter), at::zeros_like(parameter)};
  moments.steps.add_(1);
  if (settings_.decoupled) parameter.mul_(1 - rate * settings_.weight_decay);
  else if (settings_.weight_decay != 0) gradient = gradient.add(parameter, settings_.weight_decay);
  moments.mean.mul_(settings_.beta1).add_(gradient, 1 - settings_.beta1);
  moments.square.mul_(settings_.beta2).addcmul_(gradient, gradient, 1 - settings_.beta2);
  const double steps = moments.steps.item<double>();
  const double size = rate / (1 - std::pow(settings_.beta1, steps));
  const double root = std::sqrt(1 - std::pow(settings_.beta2, steps));
  parameter.addcdiv_(moments.mean, (moments.square.sqrt() / root).add_(settings_.eps), -size);
}

Value Adam::group_settings() const {
  Value group = Value::dict();
  group.set("betas", Value::tuple({Value::real(settings_.beta1), Value::real(settings_.beta2)}))
      .set("eps", Value::real(settings_.eps))
      .set("weight_decay", Value::real(settings_.weight_decay))
      .set("amsgrad", Value::boolean(false))
      .set("maximize", Value::boolean(false))
      .set("foreach", Value())
      .set("capturable", Value::boolean(false))
      .set("differentiable", Value::boolean(false))  // in AdamW, too, since torch 2.0
      .set("fused", Value::boolean(false));
  return group;
}

Optimizer::NamedTensors Adam::state_of(size_t parameter) const {
  const Moments& moments = moments_[parameter];
  if (!moments.steps.defined()) return {};
  return {{"step", moments.steps}, {"exp_avg", moments.mean}, {"exp_avg_sq", moments.square}};
}

void Adam::set_state_of(size_t parameter, NamedTensors state) {
  Moments& moments = moments_[parameter];
  moments = {};
  for (auto& [name, tensor] : state) {
    if (name == "step") moments.steps = std::move(tensor);
    else if (name == "exp_avg") moments.mean = std::move(tensor);
    else if (name == "exp_avg_sq") moments.square = std::move(tensor);
  }
}

}  // namespace ringlab
