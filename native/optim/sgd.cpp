#include "optim/sgd.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "optim/sgd_kernel.h"

namespace ringlab {
namespace {

/// Elements that libtorch updates at a time on the CPU, if our own pass does not match its results: parameter, gradient, momentum
/// and their sum, 1 MiB of floats in all, stay in the cache between operations, so that memory is read once. A multiple of all
/// vector widths: each element is computed by the same instruction as in an operation on the whole tensor.
constexpr int64_t kPiece = 1 << 16;

/// Can these be processed piece by piece in memory order? (`momentum` may be undefined.)
bool in_one_order(const at::Tensor& parameter, const at::Tensor& gradient, const at::Tensor& momentum) {
  const auto fits = [&](const at::Tensor& other) { return other.is_cpu() && other.scalar_type() == at::kFloat && other.strides() == parameter.strides(); };
  return parameter.is_non_overlapping_and_dense() && fits(parameter) && fits(gradient) && (!momentum.defined() || fits(momentum));
}

float* memory_of(const at::Tensor& tensor) { return tensor.defined() ? tensor.data_ptr<float>() : nullptr; }

/// `momentum` may be undefined, `sum` has the parameter's shape and is overwritten.
void update_by_libtorch(at::Tensor parameter, const at::Tensor& gradient, at::Tensor momentum, at::Tensor sum, const SgdSettings& settings, bool first, double rate) {
  at::Tensor direction = gradient;
  if (settings.weight_decay != 0) direction = at::add_out(sum, gradient, parameter, settings.weight_decay);
  if (momentum.defined()) {
    if (first) momentum.copy_(direction);
    else momentum.mul_(settings.momentum).add_(direction);
    direction = momentum;
  }
  parameter.add_(direction, -rate);
}

void update_in_one_pass(const at::Tensor& parameter, const at::Tensor& gradient, const at::Tensor& momentum, const SgdSettings& settings, bool first, double rate) {
  const SgdStep step{static_cast<float>(settings.weight_decay), static_cast<float>(settings.momentum), static_cast<float>(-rate), first};
  auto* values = memory_of(parameter);
  const auto* gradients = memory_of(gradient);
  auto* momenta = memory_of(momentum);
  at::parallel_for(0, parameter.numel(), kPiece, [&](int64_t begin, int64_t end) {
    sgd_step(values + begin, gradients + begin, momenta == nullptr ? nullptr : momenta + begin, end - begin, step);
  });
}

/// Is our own pass bit-identical to this libtorch?
bool one_pass_agrees() {
  if (!has_sgd_kernel()) return false;
  const c10::AutoGradMode no_grad(false);
  const auto numbers = [](double seed) { return (at::sin(at::arange(3001, at::kDouble) * 12.9898 + seed) * 3.7).to(at::kFloat); };
  for (const auto& [decay, momentum, first] : {std::tuple{1e-4, 0.9, false}, {1e-4, 0.9, true}, {0.0, 0.37, false}, {0.03, 0.0, false}}) {
    const SgdSettings settings{momentum, decay};
    const at::Tensor gradient = numbers(0.3);
    at::Tensor values[2];
    at::Tensor momenta[2];
    for (int side = 0; side < 2; ++side) {
      values[side] = numbers(1.1);
      if (momentum != 0) momenta[side] = numbers(2.2);
    }
    update_by_libtorch(values[0], gradient, momenta[0], at::empty_like(gradient), settings, first, 0.0137);
    update_in_one_pass(values[1], gradient, momenta[1], settings, first, 0.0137);
    if (!values[0].equal(values[1]) || (momentum != 0 && !momenta[0].equal(momenta[1]))) return false;
  }
  return true;
}

}  // namespace

Sgd::Sgd(std::vector<at::Tensor> parameters, SgdSettings settings)
    : Optimizer(std::move(parameters), "SGD", {"momentum_buffer"}), buffers_(this->parameters().size()), settings_(settings) {}

void Sgd::update(size_t index, at::Tensor parameter, at::Tensor gradient, double rate) {
  const bool first = settings_.momentum != 0 && !buffers_[index].defined();
  if (first) buffers_[index] = at::empty_like(parameter);
  const at::Tensor momentum = settings_.momentum != 0 ? buffers_[index] : at::Tensor();
  if (!in_one_order(parameter, gradient, momentum)) {
    update_by_libtorch(parameter, gradient, momentum, at::empty_like(parameter), settings_, first, rate);
    return;
  }
  static const bool one_pass = one_pass_agrees();
  if (one_pass) {
    update_in_one_pass(parameter, gradient, momentum, settings_, first, rate);
    return;
  }
  if (!scratch_.defined()) scratch_ = at::empty({kPiece}, parameter.options());
  const int64_t count = parameter.numel();
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    const int64_t size = std::min(kPiece, count - begin);
    const auto piece = [&](const at::Tensor& tensor) { return tensor.defined() ? tensor.as_strided({size}, {1}, tensor.storage_offset() + begin) : tensor; };
    update_by_libtorch(piece(parameter), piece(gradient), piece(momentum), scratch_.narrow(0, 0, size), settings_, first, rate);
  }
}

void Sgd::update_together(const std::vector<size_t>& indices, const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& gradients, double rate) {
  std::vector<at::Tensor> directions = settings_.weight_decay != 0 ? at::_foreach_add(gradients, parameters, settings_.weight_decay) : gradients;
  if (settings_.momentum != 0) {
    std::vector<at::Tensor> momenta;
    std::vector<at::Tensor> added;
    for (size_t i = 0; i < indices.size(); ++i) {
      at::Tensor& buffer = buffers_[indices[i]];
      if (buffer.defined()) {
        momenta.push_back(buffer);
        added.push_back(directions[i]);
      } else {
        buffer = at::empty_like(parameters[i]).copy_(directions[i]);
      }
      directions[i] = buffer;
    }
    if (!momenta.empty()) {
      at::_foreach_mul_(momenta, settings_.momentum);
      at::_foreach_add_(momenta, added);
    }
  }
  at::_foreach_add_(parameters, directions, -rate);
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
      .set("fused", Value());  // since torch 2.4
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
