// The optimizer given by the options, and the learning rates of its parameter groups.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "checkpoint/checkpoint.h"
#include "models/architectures/registry.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "options/options.h"

namespace ringlab {

/// Over all parameters of `model`, whose last layer is a separate group with --backbone-lr.
std::unique_ptr<Optimizer> make_optimizer(const Options& options, Classifier& model);

/// Not thread-safe.
class LearningRates {
 public:
  explicit LearningRates(const Options& options);

  /// All rates are multiplied by this from now on.
  void scale(double factor) { factor_ = factor; }
  /// Sets the rates of an optimizer step in `state` and its optimizer: `step` of the `steps` of `epoch`, all from 0.
  void apply(TrainingState& state, int64_t epoch, int64_t step, int64_t steps) const;
  /// The rate of all but the last layer; nothing without --backbone-lr.
  std::optional<double> backbone_lr(int64_t epoch, int64_t step, int64_t steps) const;
  /// Python's scheduler.state_dict() after `epoch` complete epochs.
  Value state_dict(int64_t epoch) const { return schedule_.state_dict(epoch, backbone_ ? &*backbone_ : nullptr); }

 private:
  Schedule schedule_;
  std::optional<Schedule> backbone_;
  double factor_ = 1;
};

}  // namespace ringlab
