// What an outer average keeps in a rank's rank-state.pth.
#include <ATen/Functions.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sync/outer_average.h"

namespace ringlab {

NamedTensors OuterAverage::state() {
  NamedTensors out;
  for (size_t i = 0; i < momenta_.size(); ++i) {
    if (momenta_[i].defined()) out.emplace_back("momentum." + std::to_string(i), momenta_[i]);
  }
  std::vector<int64_t> sent;
  for (const auto& fragment : fragments_) sent.push_back(fragment.sent_step);
  const auto steps = steps_state(sent);
  if (stands()) {
    out.push_back(steps);
    return out;
  }
  std::vector<int64_t> places{position_, period_};
  for (size_t f = 0; f < fragments_.size(); ++f) {
    Fragment& fragment = fragments_[f];
    places.push_back(fragment.age);
    places.push_back(fragment.flying ? 1 : 0);
    for (size_t k = 0; k < fragment.which.size(); ++k) {
      const std::string number = std::to_string(fragment.which[k]);
      out.emplace_back("anchor." + number, anchors_[fragment.which[k]]);
      out.emplace_back("local." + number, parameters_[fragment.which[k]]);
      if (!fragment.flying) continue;
      if (fragment.arrived.valid()) fragment.arrived.get();
      out.emplace_back("mean." + number, fragment.changes[k]);
      out.emplace_back("sent." + number, fragment.sent[k]);
    }
  }
  out.emplace_back("places", at::tensor(places, at::kLong));
  out.push_back(steps);
  return out;
}

void OuterAverage::load_state(const NamedTensors& state, bool same_ranks) {
  const auto find = [&](const std::string& name) -> const at::Tensor* {
    for (const auto& [key, tensor] : state) {
      if (key == name) return &tensor;
    }
    return nullptr;
  };
  const auto take = [&](const std::string& name, size_t i, at::Tensor& into) {
    const at::Tensor* tensor = find(name + "." + std::to_string(i));
    if (tensor == nullptr) return false;
    if (tensor->sizes() != parameters_[i].sizes()) throw std::runtime_error("'" + name + "." + std::to_string(i) + "' has another shape: another model");
    if (into.defined()) into.copy_(*tensor);
    else into = tensor->to(parameters_[i].options()).clone();
    return true;
  };
  for (size_t i = 0; i < parameters_.size(); ++i) {
    take("momentum", i, momenta_[i]);
    take("anchor", i, anchors_[i]);
    take("local", i, parameters_[i]);
  }
  if (same_ranks) {
    std::vector<int64_t> sent(fragments_.size());
    load_steps(state, sent);
    for (size_t f = 0; f < fragments_.size(); ++f) fragments_[f].sent_step = sent[f];
  }
  const at::Tensor* places = find("places");
  if (places == nullptr) {
    // The anchors are in the model's own state, which may have come after this was made.
    anchor_at_parameters();
    return;
  }
  const auto begin_period = [this] {
    for (auto& fragment : fragments_) fragment.age = 1;
  };
  if (!same_ranks) {
    begin_period();
    return;
  }
  if (places->numel() != static_cast<int64_t>(2 + 2 * fragments_.size())) throw std::runtime_error("was saved with another number of fragments");
  const at::Tensor numbers = places->to(at::kCPU, at::kLong).contiguous();
  const int64_t* at = numbers.data_ptr<int64_t>();
  if (at[1] < 1 || at[1] > kMaxPeriod || at[0] < 0 || at[0] > at[1]) throw std::runtime_error("its position is outside of a period");
  const int64_t longest = steps_per_epoch_ > 0 ? steps_per_epoch_ : kMaxPeriod;
  // Of larger batches an epoch has fewer steps: a period begins, and what was under way is sent anew.
  if (at[1] > longest) {
    begin_period();
    return;
  }
  position_ = at[0];
  period_ = at[1];
  for (size_t f = 0; f < fragments_.size(); ++f) {
    Fragment& fragment = fragments_[f];
    fragment.age = std::clamp<int64_t>(at[2 + 2 * f], 0, longest);
    fragment.flying = at[3 + 2 * f] != 0;
    for (const size_t i : fragment.which) {
      if (!fragment.flying) break;
      fragment.changes.emplace_back();
      fragment.sent.emplace_back();
      if (!take("mean", i, fragment.changes.back()) || !take("sent", i, fragment.sent.back())) throw std::runtime_error("has no pending average of parameter " + std::to_string(i));
    }
  }
}

}  // namespace ringlab
