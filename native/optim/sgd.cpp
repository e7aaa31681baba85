#include "optim/sgd.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <stdexcept>

namespace ringlab {
namespace {

/// Numbers that are updated at a time on the CPU: parameter, gradient, momentum and their sum, 1 MiB of floats in all, stay
/// in the cache from one operation to the next, so that memory is read once. A multiple of every vector's width: each
/// number meets the same instruction as in an operation on the whole tensor.
constexpr int64_t kPiece = 1 << 16;

/// Can these be taken piece by piece, as they lie in memory? (`momentum` may be undefined.)
bool in_one_order(const at::Tensor& parameter, const at::Tensor& gradient, const at::Tensor& momentum) {
  const auto fits = [&](const at::Tensor& other) { return other.is_cpu() && other.scalar_type() == at::kFloat && other.strides() == parameter.strides(); };
  return parameter.is_non_overlapping_and_dense() && fits(parameter) && fits(gradient) && (!momentum.defined() || fits(momentum));
}

}  // namespace

Sgd::Sgd(std::vector<at::Tensor> parameters, SgdSettings settings) : Optimizer(std::move(parameters)), buffers_(this->parameters().size()), settings_(settings) {}

void Sgd::update(at::Tensor parameter, const at::Tensor& gradient, at::Tensor momentum, bool first, at::Tensor sum, double lr) const {
  at::Tensor direction = gradient;
  if (settings_.weight_decay != 0) direction = at::add_out(sum, gradient, parameter, settings_.weight_decay);
  if (settings_.momentum != 0) {
    if (first) momentum.copy_(direction);
    else momentum.mul_(settings_.momentum).add_(direction);
    direction = momentum;
  }
  parameter.add_(direction, -lr);
}

void Sgd::step(double lr) {
  const c10::AutoGradMode no_grad(false);
  for (size_t i = 0; i < parameters().size(); ++i) {
    if (!parameters()[i].grad().defined()) continue;
    const at::Tensor parameter = parameters()[i].detach();
    const at::Tensor gradient = parameters()[i].grad().detach();
    const double rate = rate_of(i, lr);
    const bool first = settings_.momentum != 0 && !buffers_[i].defined();
    if (first) buffers_[i] = at::empty_like(parameter);
    const at::Tensor& momentum = buffers_[i];
    if (!in_one_order(parameter, gradient, momentum)) {
      update(parameter, gradient, momentum, first, at::empty_like(parameter), rate);
      continue;
    }
    if (!scratch_.defined()) scratch_ = at::empty({kPiece}, parameter.options());
    const int64_t count = parameter.numel();
    for (int64_t begin = 0; begin < count; begin += kPiece) {
      const int64_t size = std::min(kPiece, count - begin);
      const auto piece = [&](const at::Tensor& tensor) { return tensor.defined() ? tensor.as_strided({size}, {1}, tensor.storage_offset() + begin) : tensor; };
      update(piece(parameter), piece(gradient), piece(momentum), first, scratch_.narrow(0, 0, size), rate);
    }
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
      .set("differentiable", Value::boolean(false))
      .set("fused", Value());  // from torch 2.4 on
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

}  // namespace ringlab
