#include "optim/adam.h"

#include <ATen/Functions.h>

#include <algorithm>
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

void Adam::update_together(const std::vector<size_t>& indices, const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& gradients, double rate) {
  const auto steps_of = [&](size_t index) { return moments_[index].steps.defined() ? moments_[index].steps.item<double>() : 0.0; };
  const double before = steps_of(indices.front());
  // Parameters that a resumed run has frozen for a while have made fewer steps.
  if (std::any_of(indices.begin(), indices.end(), [&](size_t index) { return steps_of(index) != before; })) {
    for (size_t i = 0; i < indices.size(); ++i) update(indices[i], parameters[i], gradients[i], rate);
    return;
  }
  std::vector<at::Tensor> means;
  std::vector<at::Tensor> squares;
  for (size_t i = 0; i < indices.size(); ++i) {
    Moments& moments = moments_[indices[i]];
    if (!moments.steps.defined()) moments = {at::zeros({}, at::kFloat), at::zeros_like(parameters[i]), at::zeros_like(parameters[i])};
    moments.steps.add_(1);
    means.push_back(moments.mean);
    squares.push_back(moments.square);
  }
  std::vector<at::Tensor> directions = gradients;
  if (settings_.decoupled) at::_foreach_mul_(parameters, 1 - rate * settings_.weight_decay);
  else if (settings_.weight_decay != 0) directions = at::_foreach_add(gradients, parameters, settings_.weight_decay);
  at::_foreach_mul_(means, settings_.beta1);
  at::_foreach_add_(means, directions, 1 - settings_.beta1);
  at::_foreach_mul_(squares, settings_.beta2);
  at::_foreach_addcmul_(squares, directions, directions, 1 - settings_.beta2);
  std::vector<at::Tensor> roots = at::_foreach_sqrt(squares);
  at::_foreach_div_(roots, std::sqrt(1 - std::pow(settings_.beta2, before + 1)));
  at::_foreach_add_(roots, settings_.eps);
  at::_foreach_addcdiv_(parameters, means, roots, -rate / (1 - std::pow(settings_.beta1, before + 1)));
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
