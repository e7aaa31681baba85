#include "sync/optimizer.h"

#include <ATen/Functions.h>

#include <map>
#include <stdexcept>

#include "checkpoint/tensor_values.h"

namespace ringlab {
namespace {

/// Python numbers the parameters group by group: its number → the place in our list.
std::map<int64_t, size_t> places(const Value& state) {
  std::map<int64_t, size_t> result;
  const Value* groups = state.find("param_groups");
  if (groups == nullptr || !groups->is_sequence()) throw std::runtime_error("its optimizer has no param_groups");
  for (const auto& group : groups->items()) {
    const Value* params = group.find("params");
    if (params == nullptr) throw std::runtime_error("its optimizer has a group without params");
    for (const auto& number : params->items()) {
      const size_t place = result.size();
      if (!result.emplace(number.as_integer(), place).second) throw std::runtime_error("its optimizer names a parameter twice");
    }
  }
  return result;
}

at::Tensor state_tensor(const Value& value, const std::string& name, const at::Tensor& parameter) {
  if (value.is_number()) return at::full({}, value.as_real(), at::TensorOptions(at::kFloat));
  const at::Tensor source = tensor_of(value);
  if (source.dim() == 0) return source.to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  if (source.sizes() != parameter.sizes()) throw std::runtime_error("a " + name + " of its optimizer has another shape than its parameter");
  // Laid out as the parameter is (channels-last): a resumed run shall meet the same instructions.
  return at::empty_like(parameter.detach()).copy_(source);
}

}  // namespace

void Optimizer::zero_grad() {
  for (auto& parameter : parameters_) parameter.mutable_grad().reset();
}

Value Optimizer::state_dict(double lr, double initial_lr) const {
  Items states;
  List numbers;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto number = Value::integer(static_cast<int64_t>(i));
    numbers.push_back(number);
    Value entry = Value::dict();
    for (const auto& [name, tensor] : state_of(i)) entry.set(name, value_of(tensor));
    if (!entry.entries().empty()) states.emplace_back(number, std::move(entry));
  }
  Value group = Value::dict();
  group.set("lr", Value::real(lr));
  const Value settings = group_settings();
  for (const auto& [name, value] : settings.entries()) group.entries().emplace_back(name, value);
  group.set("initial_lr", Value::real(initial_lr)).set("params", Value::list(std::move(numbers)));
  return Value::dict().set("state", Value::dict(std::move(states))).set("param_groups", Value::list({std::move(group)}));
}

void Optimizer::load_state_dict(const Value& state) {
  const Value* states = state.find("state");
  if (states == nullptr || !states->is_dict()) throw std::runtime_error("its optimizer has no state");
  const auto order = places(state);
  if (order.size() != parameters_.size()) {
    throw std::runtime_error("its optimizer has " + std::to_string(order.size()) + " parameters, the model " + std::to_string(parameters_.size()));
  }
  std::vector<NamedTensors> loaded(parameters_.size());
  for (const auto& [number, entry] : states->entries()) {
    const auto place = order.find(number.as_integer());
    if (place == order.end()) throw std::runtime_error("its optimizer has a state for a parameter that is in no group");
    auto& into = loaded[place->second];
    for (const auto& [name, value] : entry.entries()) {
      if (!value.is_none()) into.emplace_back(name.as_text(), state_tensor(value, name.as_text(), parameters_[place->second]));
    }
    if (!into.empty()) check_state(into);
  }
  for (size_t i = 0; i < loaded.size(); ++i) set_state_of(i, std::move(loaded[i]));
}

}  // namespace ringlab
