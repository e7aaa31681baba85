#include "sync/sgd.h"

#include <c10/core/GradMode.h>

#include <stdexcept>

namespace ringlab {

Sgd::Sgd(std::vector<at::Tensor> parameters, SgdSettings settings) : Optimizer(std::move(parameters)), buffers_(this->parameters().size()), settings_(settings) {}

void Sgd::step(double lr) {
  const c10::AutoGradMode no_grad(false);
  for (size_t i = 0; i < parameters().size(); ++i) {
    at::Tensor parameter = parameters()[i];
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

Value Sgd::group_settings() const {
  return Value::dict()
      .set("momentum", Value::real(settings_.momentum))
      .set("dampening", Value::integer(0))
      .set("weight_decay", Value::real(settings_.weight_decay))
      .set("nesterov", Value::boolean(false))
      .set("maximize", Value::boolean(false))
      .set("foreach", Value())
      .set("differentiable", Value::boolean(false));
}

Optimizer::NamedTensors Sgd::state_of(size_t parameter) const {
  if (!buffers_[parameter].defined()) return {};
  return {{"momentum_buffer", buffers_[parameter]}};
}

void Sgd::set_state_of(size_t parameter, NamedTensors state) {
  buffers_[parameter] = at::Tensor();
  for (auto& [name, tensor] : state) {
    if (name == "momentum_buffer") buffers_[parameter] = std::move(tensor);
  }
}

void Sgd::check_state(const NamedTensors& state) const {
  for (const auto& [name, tensor] : state) {
    if (name == "momentum_buffer") return;
  }
  throw std::runtime_error("its optimizer is not SGD: it has a " + state.front().first + " and no momentum_buffer");
}

double step_lr(double initial, double gamma, int step_size, int64_t epoch) {
  double lr = initial;
  for (int64_t e = 1; e <= epoch; ++e) {
    if (e % step_size == 0) lr *= gamma;
  }
  return lr;
}

Value step_lr_state_dict(double initial, double gamma, int step_size, int64_t epoch, double lr) {
  return Value::dict()
      .set("step_size", Value::integer(step_size))
      .set("gamma", Value::real(gamma))
      .set("base_lrs", Value::list({Value::real(initial)}))
      .set("last_epoch", Value::integer(epoch))
      .set("verbose", Value::boolean(false))
      .set("_step_count", Value::integer(epoch + 1))
      .set("_get_lr_called_within_step", Value::boolean(false))
      .set("_last_lr", Value::list({Value::real(lr)}));
}

}  // namespace ringlab
