// Learning-rate schedules: torch.optim.lr_scheduler's StepLR and CosineAnnealingLR, the same operations in the same order
// as Python's, after an optional linear warm-up.
#pragma once

#include <cstdint>
#include <string>

#include "values/value.h"

namespace ringlab {

/// StepLR, CosineAnnealingLR, or constant.
enum class ScheduleKind { step, cosine, none };

struct ScheduleSettings {
  ScheduleKind kind = ScheduleKind::step;
  double initial = 0.1;
  double gamma = 0.1;  ///< StepLR's
  int step_size = 30;  ///< StepLR's, epochs
  int epochs = 90;     ///< of the run: cosine reaches 0 at its end
  int warmup_epochs = 0;
};

/// Not thread-safe.
class Schedule {
 public:
  explicit Schedule(ScheduleSettings settings) : settings_(std::move(settings)) {}

  /// The rate of an optimizer step: `step` of the `steps` of `epoch`, all from 0. In the warm-up it grows step by step from
  /// initial / (all its steps) to initial; the schedule starts with the epoch after it.
  double lr(int64_t epoch, int64_t step, int64_t steps) const;

  /// Python's scheduler.state_dict() after `epoch` complete epochs, without those of the warm-up; an empty dict for `none`. With
  /// `backbone` that of two parameter groups, the first of which it schedules.
  Value state_dict(int64_t epoch, const Schedule* backbone = nullptr) const;

 private:
  double scheduled(int64_t epoch) const;

  ScheduleSettings settings_;
  /// The factors are applied one after the other, as in Python; a later epoch continues from the current one.
  mutable int64_t known_epoch_ = 0;
  mutable double known_lr_ = 0;
};

}  // namespace ringlab
