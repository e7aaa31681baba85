#include "optim/sgd.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

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

Sgd::Sgd(std::vector<at::Tensor> parameters, SgdSettings settings)
    : Optimizer(std::move(parameters), "SGD", {"momentum_buffer"}), buffers_(this->parameters().size()), settings_(settings) {}

void Sgd::update_piece(at::Tensor parameter, const at::Tensor& gradient, at::Tensor momentum, bool first, at::Tensor sum, double rate) const {
  at::Tensor direction = gradient;
  if (settings_.weight_decay != 0) direction = at::add_out(sum, gradient, parameter, settings_.weight_decay);
  if (settings_.momentum != 0) {
    if (first) momentum.copy_(direction);
    else momentum.mul_(settings_.momentum).add_(direction);
    direction = momentum;
  }
  parameter.add_(direction, -rate);
}

void Sgd::update(size_t index, at::Tensor parameter, at::Tensor gradient, double rate) {
  const bool first = settings_.momentum != 0 && !buffers_[index].defined();
  if (first) buffers_[index] = at::empty_like(parameter);
  const at::Tensor& momentum = buffers_[index];
  if (!in_one_order(parameter, gradient, momentum)) {
    update_piece(parameter, gradient, momentum, first, at::empty_like(parameter), rate);
    return;
  }
  if (!scratch_.defined()) scratch_ = at::empty({kPiece}, parameter.options());
  const int64_t count = parameter.numel();
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    const int64_t size = std::min(kPiece, count - begin);
    const auto piece = [&](const at::Tensor& tensor) { return tensor.defined() ? tensor.as_strided({size}, {1}, tensor.storage_offset() + begin) : tensor; };
    update_piece(piece(parameter), piece(gradient), piece(momentum), first, scratch_.narrow(0, 0, size), rate);
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

}  // namespace ringlab
