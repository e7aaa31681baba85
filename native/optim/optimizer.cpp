#include "optim/optimizer.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>

#include "values/tensor_values.h"

namespace ringlab {
namespace {

at::Tensor state_tensor(const Value& value, const std::string& name, const at::Tensor& parameter) {
  if (value.is_number()) return at::full({}, value.as_real(), at::TensorOptions(at::kFloat));
  const at::Tensor source = tensor_of(value);
  if (source.dim() == 0) return source.to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  if (source.sizes() != parameter.sizes()) throw std::runtime_error("a " + name + " of its optimizer has another shape than its parameter");
  // In the parameter's memory format (channels-last): so that a resumed run executes the same instructions.
  return at::empty_like(parameter.detach()).copy_(source);
}

/// Settings of torch.optim's classes that decide about the weights; the others only choose how they are computed.
constexpr const char* kComputed[] = {"momentum", "dampening", "nesterov", "weight_decay", "betas", "eps", "amsgrad", "maximize"};

/// What cannot be compared is no difference: a later PyTorch may write a setting in another form.
bool differs(const Value& saved, const Value& own) {
  if (saved.is_number() && own.is_number()) return saved.as_real() != own.as_real();
  if (!saved.is_sequence() || !own.is_sequence() || saved.items().size() != own.items().size()) return false;
  return !std::equal(saved.items().begin(), saved.items().end(), own.items().begin(), [](const Value& a, const Value& b) { return !differs(a, b); });
}

std::string text_of_number(const Value& number) {
  if (!number.is_number()) return "?";
  if (number.kind() == Value::Kind::boolean) return number.as_integer() != 0 ? "True" : "False";
  std::ostringstream text;
  text << number.as_real();
  return text.str();
}

/// As Python writes it. Lists in lists, which a file may nest without end, are no setting.
std::string text_of(const Value& setting) {
  if (!setting.is_sequence()) return text_of_number(setting);
  std::string text = "(";
  for (const Value& item : setting.items()) text += (text.size() == 1 ? "" : ", ") + text_of_number(item);
  return text + ")";
}

}  // namespace

void Optimizer::step(double lr) {
  const c10::AutoGradMode no_grad(false);
  struct Lists {
    std::vector<size_t> indices;
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> gradients;
  };
  std::map<double, Lists> on_gpu;  // by rate
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& gradient = parameters_[i].grad();
    if (!gradient.defined()) continue;
    const double rate = rate_of(i, lr);
    if (!gradient.is_cuda()) {
      update(i, parameters_[i].detach(), gradient.detach(), rate);
      continue;
    }
    Lists& lists = on_gpu[rate];
    lists.indices.push_back(i);
    lists.parameters.push_back(parameters_[i].detach());
    lists.gradients.push_back(gradient.detach());
  }
  for (const auto& [rate, lists] : on_gpu) update_together(lists.indices, lists.parameters, lists.gradients, rate);
}

void Optimizer::zero_grad() {
  for (auto& parameter : parameters_) parameter.mutable_grad().reset();
}

void Optimizer::set_head(std::vector<size_t> head) { head_ = std::move(head); }

void Optimizer::split(double initial) {
  backbone_initial_ = initial;
  backbone_rate_ = initial;
  is_backbone_.assign(parameters_.size(), true);
  for (const size_t place : head_) is_backbone_[place] = false;
}

std::vector<size_t> Optimizer::backbone() const {
  std::vector<size_t> rest;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (std::find(head_.begin(), head_.end(), i) == head_.end()) rest.push_back(i);
  }
  return rest;
}

/// Python numbers the parameters group by group: its number → the index in our list. Two groups with the sizes of backbone
/// and head are read as these; any other grouping as the model's order.
std::map<int64_t, size_t> Optimizer::places(const Value& state) const {
  const Value* groups = state.find("param_groups");
  if (groups == nullptr || !groups->is_sequence()) throw std::runtime_error("its optimizer has no param_groups");
  std::vector<int64_t> numbers;
  std::vector<size_t> sizes;
  for (const auto& group : groups->items()) {
    const Value* params = group.find("params");
    if (params == nullptr) throw std::runtime_error("its optimizer has a group without params");
    for (const auto& number : params->items()) numbers.push_back(number.as_integer());
    sizes.push_back(params->items().size());
  }
  std::vector<size_t> order = backbone();
  const bool two = sizes.size() == 2 && !head_.empty() && sizes[0] == order.size() && sizes[1] == head_.size();
  if (two) order.insert(order.end(), head_.begin(), head_.end());
  std::map<int64_t, size_t> result;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!result.emplace(numbers[i], two ? order[i] : i).second) throw std::runtime_error("its optimizer names a parameter twice");
  }
  return result;
}

Value Optimizer::state_dict(double lr, double initial_lr) const {
  Items states;
  List groups;
  const Value settings = group_settings();
  int64_t next = 0;
  const auto add_group = [&](const std::vector<size_t>& members, double rate, double initial) {
    List numbers;
    for (const size_t place : members) {
      const auto number = Value::integer(next++);
      numbers.push_back(number);
      Value entry = Value::dict();
      for (const auto& [name, tensor] : state_of(place)) entry.set(name, value_of(tensor));
      if (!entry.entries().empty()) states.emplace_back(number, std::move(entry));
    }
    Value group = Value::dict();
    group.set("lr", Value::real(rate));
    for (const auto& [name, value] : settings.entries()) group.entries().emplace_back(name, value);
    group.set("initial_lr", Value::real(initial)).set("params", Value::list(std::move(numbers)));
    groups.push_back(std::move(group));
  };
  if (is_backbone_.empty()) {
    std::vector<size_t> all(parameters_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    add_group(all, lr, initial_lr);
  } else {
    add_group(backbone(), backbone_rate_, backbone_initial_);
    add_group(head_, lr, initial_lr);
  }
  return Value::dict().set("state", Value::dict(std::move(states))).set("param_groups", Value::list(std::move(groups)));
}

/// Refuses the state of another kind of optimizer.
void Optimizer::check_state(const NamedTensors& state) const {
  for (const auto& wanted : state_names_) {
    const auto found = std::find_if(state.begin(), state.end(), [&wanted](const auto& entry) { return entry.first == wanted; });
    if (found == state.end()) throw std::runtime_error("its optimizer is not " + kind_ + ": it has a " + state.front().first + " and no " + wanted);
  }
}

std::vector<std::string> Optimizer::other_settings(const Value& state) const {
  std::vector<std::string> others;
  const Value* groups = state.find("param_groups");
  if (groups == nullptr || !groups->is_sequence()) return others;
  const Value settings = group_settings();
  for (const char* name : kComputed) {
    const Value* own = settings.find(name);
    if (own == nullptr) continue;
    for (const Value& group : groups->items()) {
      const Value* saved = group.find(name);
      if (saved == nullptr || !differs(*saved, *own)) continue;
      others.push_back(std::string(name) + " " + text_of(*saved) + " (here " + text_of(*own) + ")");
      break;
    }
  }
  return others;
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
