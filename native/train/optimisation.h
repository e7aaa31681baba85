// The optimizer that the options name, and the learning rates of its parameter groups.
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

/// Over all parameters of `model`, whose last layer is a group of its own with --backbone-lr.
std::unique_ptr<Optimizer> make_optimizer(const Options& options, Classifier& model);

/// For one thread.
class LearningRates {
 public:
  explicit LearningRates(const Options& options);

  /// Gives `state` and its optimizer the rates of an optimizer step: `step` of the `steps` of `epoch`, all from 0.
  void apply(TrainingState& state, int64_t epoch, int64_t step, int64_t steps) const;
  /// That of all but the last layer; nothing without --backbone-lr.
  std::optional<double> backbone_lr(int64_t epoch, int64_t step, int64_t steps) const;
  /// Python's scheduler.state_dict() after `epoch` whole epochs.
  Value state_dict(int64_t epoch) const { return schedule_.state_dict(epoch, backbone_ ? &*backbone_ : nullptr); }

 private:
  Schedule schedule_;
  std::optional<Schedule> backbone_;
};

}  // namespace ringlab
