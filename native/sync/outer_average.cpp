#include "sync/outer_average.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "comm/collectives/gradient_reducer.h"
#include "comm/collectives/share_model.h"

namespace ringlab {

OuterAverage::OuterAverage(Communicator& communicator, Compressor& compressor, std::vector<at::Tensor> parameters, const SyncMode& mode, int64_t steps_per_epoch)
    : ParameterAverage(communicator, parameters.front().is_cuda()), compressor_(compressor), mode_(mode), steps_per_epoch_(steps_per_epoch), momenta_(parameters.size()), period_(mode.period) {
  SyncMode exact;
  plain_ = make_compressor(exact, communicator, parameters);
  int64_t all = 0;
  for (const auto& parameter : parameters) {
    parameters_.push_back(parameter.detach());
    anchors_.push_back(parameter.detach().clone());
    all += parameter.numel();
  }
  // Whole parameters, about equally many numbers in each fragment, in the order in which they are made.
  fragments_.resize(static_cast<size_t>(std::min<int64_t>(mode.fragments, static_cast<int64_t>(parameters_.size()))));
  const auto count = static_cast<int64_t>(fragments_.size());
  int64_t before = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const int64_t middle = before + parameters_[i].numel() / 2;
    fragments_[static_cast<size_t>(std::min(count - 1, middle * count / std::max<int64_t>(all, 1)))].which.push_back(i);
    before += parameters_[i].numel();
  }
}

OuterAverage::~OuterAverage() { abandon(); }

void OuterAverage::abandon() {
  for (auto& fragment : fragments_) {
    if (fragment.flying && fragment.arrived.valid()) fragment.arrived.wait();
  }
}

void OuterAverage::begin_epoch(int64_t first, int64_t steps) {
  epoch_began_ = first;
  steps_per_epoch_ = std::max<int64_t>(1, steps);
}

void OuterAverage::use_memory(const std::vector<at::Tensor>& parameters) {
  for (size_t i = 0; i < parameters_.size(); ++i) parameters_[i] = parameters[i].detach();
}

/// Fragments queue behind one another: where any lands there is no more to wait for.
bool OuterAverage::exchanges_through() const {
  const auto lands = [this](const Fragment& fragment) { return fragment.flying && fragment.age + 1 >= mode_.overlap; };
  const auto flies = [](const Fragment& fragment) { return fragment.flying; };
  return std::any_of(fragments_.begin(), fragments_.end(), flies) && std::none_of(fragments_.begin(), fragments_.end(), lands);
}

/// True where it was not.
bool OuterAverage::anchor_at_parameters() {
  bool any = false;
  for (size_t i = 0; i < anchors_.size(); ++i) {
    if (parameters_[i].equal(anchors_[i])) continue;
    anchors_[i].copy_(parameters_[i]);
    any = true;
  }
  return any;
}

void OuterAverage::share_anchor() {
  std::vector<at::Tensor> before;
  for (const auto& anchor : anchors_) before.push_back(anchor.clone());
  share_anchors(0, {});
  for (size_t i = 0; i < anchors_.size(); ++i) {
    if (!anchors_[i].equal(before[i])) parameters_[i].add_(anchors_[i].sub(before[i]));
  }
}

void OuterAverage::share_anchors(int root, const std::function<void(const Lacking&)>& before_sending) {
  NamedModel kept;
  for (size_t i = 0; i < anchors_.size(); ++i) {
    const std::string number = std::to_string(i);
    kept.emplace_back("anchor." + number, anchors_[i]);
    if (mode_.outer_momentum <= 0) continue;
    if (!momenta_[i].defined()) momenta_[i] = at::zeros_like(anchors_[i]);
    kept.emplace_back("momentum." + number, momenta_[i]);
  }
  share_model(communicator_, kept, before_sending, root);
}

void OuterAverage::admit(int root, bool is_new, const std::function<void(const Lacking&)>& before_sending) {
  share_anchors(root, before_sending);
  for (size_t i = 0; is_new && i < anchors_.size(); ++i) parameters_[i].copy_(anchors_[i]);
  // Whether parameters differ from the anchor decides what is exchanged.
  at::Tensor ages = at::empty({static_cast<int64_t>(fragments_.size())}, at::kLong);
  for (size_t f = 0; f < fragments_.size(); ++f) ages[static_cast<int64_t>(f)] = fragments_[f].age;
  communicator_.broadcast({ages}, root);
  for (size_t f = 0; f < fragments_.size(); ++f) fragments_[f].age = ages[static_cast<int64_t>(f)].item<int64_t>();
}

/// A fragment that counts on the root and not here was under way here: it counts now. All others are sent anew, with what was learned since.
std::function<void()> OuterAverage::take_over(ParameterAverage& average, int root, bool behind) {
  auto& before = dynamic_cast<OuterAverage&>(average);
  for (size_t i = 0; i < anchors_.size(); ++i) {
    anchors_[i].copy_(before.anchors_[i]);
    if (before.momenta_[i].defined()) momenta_[i] = before.momenta_[i].clone();
  }
  share_anchors(root, {});
  for (auto& fragment : fragments_) fragment.age = 1;
  step_ = before.step_;
  if (!behind) return [] {};
  return [this, &before] {
    for (const auto& fragment : before.fragments_) {
      if (!fragment.flying) continue;
      for (size_t k = 0; k < fragment.which.size(); ++k) {
        const size_t i = fragment.which[k];
        if (!before.anchors_[i].equal(anchors_[i])) parameters_[i].sub_(fragment.sent[k]).add_(anchors_[i]);
      }
    }
  };
}

/// The local step of a period after which a fragment goes: spread evenly, the last one at the period's end.
int64_t OuterAverage::due(size_t fragment) const { return (static_cast<int64_t>(fragment) + 1) * period_ / static_cast<int64_t>(fragments_.size()); }

/// An epoch's end exchanges too. What is left of the epoch is divided evenly, into periods of H steps and a little more: a
/// short last one would cost a whole exchange.
int64_t OuterAverage::next_period(int64_t step, double lr) const {
  const int64_t left = steps_per_epoch_ > 0 ? steps_per_epoch_ - (step - epoch_began_) % steps_per_epoch_ : kMaxPeriod;
  const double grown = mode_.qsr > 0 && lr > 0 ? std::floor(std::pow(mode_.qsr / lr, 2)) : 0;
  const int64_t minimum = std::max<int64_t>(mode_.period, static_cast<int64_t>(std::min(grown, static_cast<double>(left))));
  if (steps_per_epoch_ == 0) return minimum;
  const int64_t parts = std::max<int64_t>(1, left / minimum);
  return (left + parts - 1) / parts;
}

void OuterAverage::send(Fragment& fragment, Compressor& compressor) {
  fragment.changes.clear();
  fragment.sent.clear();
  for (const size_t i : fragment.which) {
    fragment.changes.push_back(anchors_[i] - parameters_[i]);
    fragment.sent.push_back(parameters_[i].clone());
  }
  fragment.flying = true;
  fragment.sent_step = step_;
  fragment.age = 0;
  fragment.arrived = start([&fragment, &compressor] {
    if (!fragment.which.empty()) compressor.average(fragment.which, fragment.changes);
  });
}

void OuterAverage::land(Fragment& fragment) {
  wait(fragment.arrived);
  for (size_t k = 0; k < fragment.which.size(); ++k) {
    const size_t i = fragment.which[k];
    at::Tensor step = fragment.changes[k];
    if (mode_.outer_momentum > 0) {
      if (momenta_[i].defined()) momenta_[i].mul_(mode_.outer_momentum).add_(step);
      else momenta_[i] = step.clone();
      step = step.add(momenta_[i], mode_.outer_momentum);
    }
    anchors_[i].sub_(step, mode_.outer_lr);
    // Where nothing was computed meanwhile the difference is 0 and every rank stands on the anchor, to the bit.
    if (fragment.age == 0) parameters_[i].copy_(anchors_[i]);
    else parameters_[i].sub_(fragment.sent[k]).add_(anchors_[i]);
  }
  fragment.changes.clear();
  fragment.sent.clear();
  fragment.flying = false;
  ++landed_;
  landed_step_ = fragment.sent_step;
}

void OuterAverage::after_step(int64_t step, double lr) {
  step_ = step + 1;
  for (auto& fragment : fragments_) ++fragment.age;
  if (step < mode_.start) {
    for (auto& fragment : fragments_) {
      send(fragment, *plain_);
      land(fragment);
    }
    return;
  }
  if (position_ == 0) period_ = next_period(step, lr);
  ++position_;
  for (auto& fragment : fragments_) {
    if (fragment.flying && fragment.age >= mode_.overlap) land(fragment);
  }
  for (size_t f = 0; f < fragments_.size(); ++f) {
    if (position_ != due(f)) continue;
    send(fragments_[f], compressor_);
    if (mode_.overlap == 0) land(fragments_[f]);
  }
  if (position_ >= period_) position_ = 0;
}

void OuterAverage::synchronise(bool) {
  for (auto& fragment : fragments_) {
    if (fragment.flying) land(fragment);
    if (fragment.age == 0) continue;
    send(fragment, compressor_);
    land(fragment);
  }
  position_ = 0;
}

}  // namespace ringlab
