// What a streamed average keeps: in a rank's rank-state.pth, and when ranks were lost.
#include <ATen/Functions.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/collectives/share_model.h"
#include "sync/streamed/streamed_average.h"

namespace ringlab {
namespace {

// Where the parameters stand, as numbers of the state: this rank's own; A, which is where they go on from; A for an evaluation, `apart_` being where they go on from.
constexpr int64_t kOwn = 0;
constexpr int64_t kTogether = 1;
constexpr int64_t kShown = 2;

}  // namespace

int64_t StreamedAverage::place_of_weights() const { return !together_ ? kOwn : apart_.defined() ? kShown : kTogether; }

bool StreamedAverage::is_set() const {
  int64_t first = 0;
  for (const auto& matrix : matrices_) {
    if (!stand_on(matrix.parameter, anchor_.narrow(0, first, matrix.parameter.numel()))) return true;
    first += matrix.parameter.numel();
  }
  return !vectors_.stand_on_anchor();
}

bool StreamedAverage::take_set_weights() {
  if (!together_ || !is_set()) return false;
  pull();
  anchor_ = local_matrices();
  vectors_.move_anchor();
  apart_.reset();
  residual_.zero_();
  vectors_.forget();
  measure();
  return true;
}

void StreamedAverage::share_anchor() {
  const at::Tensor before = anchor_.clone();
  const at::Tensor vectors_before = vectors_.anchor().clone();
  share_model(communicator_, {{"anchor", anchor_}, {"vectors", vectors_.anchor()}});
  if (!anchor_.equal(before)) {
    pull();
    set_local_matrices(local_matrices().add_(anchor_.sub(before)));
    push();
  }
  if (!vectors_.anchor().equal(vectors_before)) vectors_.move(vectors_.anchor().sub(vectors_before));
  // Where steps are to follow, also on a rank whose weights it was that the others got.
  together_ = false;
  measure();
}

/// What is under way is dropped, and sent anew as a part of A - w. Where it counts on the root, A has its means, and w gets what it would have got.
std::function<void()> StreamedAverage::take_over(ParameterAverage& average, int root, bool behind) {
  auto& before = dynamic_cast<StreamedAverage&>(average);
  anchor_.copy_(before.anchor_);
  vectors_.anchor().copy_(before.vectors_.anchor());
  share_model(communicator_, {{"anchor", anchor_}, {"vectors", vectors_.anchor()}}, {}, root);
  measure();
  if (watch_.watches()) {
    const auto rule = before.watch_.state();
    watch_.load_state(rule.data());
    // Of an exchange that did not land everywhere the root alone has what was decided.
    at::Tensor pace = at::tensor({static_cast<double>(before.pace_.period), static_cast<double>(before.pace_.overlap), before.pace_.bits}, at::kDouble);
    communicator_.broadcast({pace}, root);
    const double* agreed = pace.data_ptr<double>();
    set_pace(checked_pace(agreed[0], agreed[1], agreed[2]));
    watch_.go_on_at(pace_);
  }
  together_ = false;
  step_ = before.step_;
  return [this, &before, behind] {
    before.keep_own();
    before.pull();
    const bool arrived = behind && before.flying_;
    if (arrived) {
      // What this rank sent counts in its own weights.
      before.add_sent(1);
      before.vectors_.move(before.vectors_.changes_in(before.sent_, before.message_bytes_));
    }
    at::Tensor own = before.local_matrices();
    if (arrived) {
      own.add_(anchor_).sub_(before.anchor_);
      vectors_.move(vectors_.anchor().sub(before.vectors_.anchor()));
    } else if (behind) {
      // An average of all that ends an epoch, or the run.
      if (!anchor_.equal(before.anchor_)) own = anchor_.clone();
      if (!vectors_.anchor().equal(before.vectors_.anchor())) vectors_.move_to_anchor();
    }
    set_local_matrices(own);
    push();
  };
}

void StreamedAverage::admit(int root, bool is_new, const std::function<void(const Lacking&)>& before_sending) {
  share_model(communicator_, {{"anchor", anchor_}, {"vectors", vectors_.anchor()}}, before_sending, root);
  if (is_new) {
    set_local_matrices(anchor_);
    push();
    vectors_.move_to_anchor();
  }
  // Decides what the end of an epoch exchanges, also where no step of it is left: the others may have stopped in its evaluation.
  at::Tensor place = at::full({1}, place_of_weights(), at::kLong);
  communicator_.broadcast({place}, root);
  together_ = place.item<int64_t>() != kOwn;
  if (place.item<int64_t>() != kShown) apart_.reset();
  else if (!apart_.defined()) apart_ = anchor_.clone();
  measure();
}

NamedTensors StreamedAverage::state() {
  if (arrived_.valid()) arrived_.get();
  std::vector<float> encoders;
  for (const auto& encoder : encoders_) {
    const auto numbers = encoder.state();
    encoders.insert(encoders.end(), numbers.begin(), numbers.end());
  }
  NamedTensors out = vectors_.state(!together_);
  out.emplace_back("residual", residual_);
  out.emplace_back("encoders", at::tensor(encoders));
  out.emplace_back("places", at::tensor({layout_, position_, age_, int64_t{flying_}, place_of_weights()}, at::kLong));
  out.push_back(steps_state({sent_step_}));
  if (watch_.watches()) {
    const auto rule = watch_.state();
    out.emplace_back("pace", at::tensor({static_cast<double>(pace_.period), static_cast<double>(pace_.overlap), pace_.bits}, at::kDouble));
    out.emplace_back("rule", at::tensor(at::ArrayRef<double>(rule.data(), rule.size()), at::kDouble));
  }
  if (apart_.defined()) out.emplace_back("apart", apart_);
  if (together_) return out;
  pull();
  out.emplace_back("anchor", anchor_);
  out.emplace_back("local", local_matrices());
  if (!flying_) return out;
  out.emplace_back("sent", sent_);
  out.emplace_back("arrived", arrived_rows_);
  return out;
}

void StreamedAverage::load_state(const NamedTensors& state, bool same_ranks) {
  const auto take = [&](const std::string& name, const at::Tensor& like) {
    for (const auto& [key, tensor] : state) {
      if (key != name) continue;
      if (tensor.sizes() != like.sizes() || tensor.scalar_type() != like.scalar_type()) throw std::runtime_error("'" + name + "' is another model's");
      return tensor.cpu().clone();
    }
    throw std::runtime_error("has no '" + name + "'");
  };
  const auto take_own = [&] {
    if (together_) return;
    anchor_ = take("anchor", anchor_);
    set_local_matrices(take("local", anchor_));
    push();
  };
  const auto take_places = [&](const int64_t* place) {
    together_ = place[4] == kTogether || place[4] == kShown;
    if (place[4] == kShown) apart_ = take("apart", anchor_);
  };
  size_t numbers = 0;
  for (const auto& encoder : encoders_) numbers += encoder.state_size();
  const at::Tensor places = take("places", at::empty({5}, at::kLong));
  const int64_t* place = places.data_ptr<int64_t>();
  if (place[0] != layout_) throw std::runtime_error("was saved of weights in another order: resume it with the --channels-last that it had");
  if (!same_ranks) {
    take_places(place);
    if (!together_) vectors_.load_own(take);
    return take_own();
  }
  if (watch_.watches()) {
    const at::Tensor pace = take("pace", at::empty({3}, at::kDouble));
    const double* saved = pace.data_ptr<double>();
    const at::Tensor rule = take("rule", at::empty({static_cast<int64_t>(StreamWatch::kStateSize)}, at::kDouble));
    watch_.load_state(rule.data_ptr<double>());
    set_pace(checked_pace(saved[0], saved[1], saved[2]));
  }
  std::vector<int64_t> sent{sent_step_};
  load_steps(state, sent);
  sent_step_ = sent.front();
  residual_ = take("residual", residual_);
  const at::Tensor encoders = take("encoders", at::empty({static_cast<int64_t>(numbers)}, at::kFloat));
  const float* next = encoders.data_ptr<float>();
  for (auto& encoder : encoders_) {
    encoder.load_state(next);
    next += encoder.state_size();
  }
  position_ = std::clamp<int64_t>(place[1], 0, pace_.period - 1);
  age_ = std::max<int64_t>(0, place[2]);
  flying_ = place[3] != 0;
  take_places(place);
  vectors_.load_state(!together_, take);
  take_own();
  // Its anchor is in the model's own state, which may have come after this was made.
  if (together_ && is_set()) {
    pull();
    anchor_ = local_matrices();
    vectors_.move_anchor();
  }
  if (together_ || !flying_) return;
  const at::Tensor rows = at::empty({communicator_.world_size(), row_bytes_}, at::kByte);
  sent_ = take("sent", rows);
  arrived_rows_ = take("arrived", rows);
}

}  // namespace ringlab
