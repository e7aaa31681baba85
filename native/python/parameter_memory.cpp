#include "python/parameter_memory.h"

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

#include "base/error.h"

namespace ringlab {
namespace {

std::string order_of(const at::Tensor& tensor) {
  std::ostringstream order;
  for (int64_t i = 0; i < tensor.dim(); ++i) order << ' ' << (tensor.size(i) > 1 ? tensor.stride(i) : 0);
  return order.str();
}

bool is_alike(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() && a.device() == b.device() && order_of(a) == order_of(b);
}

}  // namespace

NamedTensors with_order(const NamedTensors& tensors) {
  NamedTensors out;
  for (const auto& [name, tensor] : tensors) out.emplace_back(name + ", strides" + order_of(tensor), tensor);
  return out;
}

std::vector<at::Tensor> tensors_of(const NamedTensors& named) {
  std::vector<at::Tensor> out;
  for (const auto& [name, tensor] : named) out.push_back(tensor);
  return out;
}

void refuse_doubles(const NamedTensors& parameters, const std::string& mode) {
  for (const auto& [name, tensor] : parameters) {
    if (tensor.scalar_type() != at::kDouble) continue;
    refuse_usage("parameter " + name + " is float64, and mode " + mode + " would train it in float32: take a mode that keeps float64, such as allreduce or local:4, or make the model float32 (model.float())");
  }
}

ParameterMemory::ParameterMemory(const NamedTensors& parameters) {
  for (const auto& [name, tensor] : parameters) known_.push_back(tensor.detach());
}

bool ParameterMemory::moved(const NamedTensors& parameters) {
  bool moved = false;
  for (size_t i = 0; i < known_.size(); ++i) {
    const auto& [name, tensor] = parameters[i];
    if (tensor.data_ptr() == known_[i].data_ptr()) continue;
    if (!is_alike(tensor, known_[i])) {
      throw std::runtime_error("parameter " + name + " has another shape, type, device or order of values than when ringlab.slow took the model: copy its values in place (p.data.copy_(...)), or change the model before ringlab.slow");
    }
    known_[i] = tensor.detach();
    moved = true;
  }
  return moved;
}

}  // namespace ringlab
