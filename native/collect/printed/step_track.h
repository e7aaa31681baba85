// Steps over a whole run, from counts that start again in each epoch.
#pragma once

#include <optional>

namespace ringlab {

/// One kind of count: a progress bar, or the steps in printed lines.
struct StepTrack {
  double base = 0;  ///< steps of the epochs before
  double last = -1;
  std::optional<double> of;
  std::optional<double> epoch;

  /// The step over the run. A count that falls, or stays in another epoch, starts again: the steps before it are complete.
  double step_of(double at, std::optional<double> total, std::optional<double> in_epoch) {
    const bool stays = at == last && in_epoch && epoch && *in_epoch > *epoch;
    if (last >= 0 && (at < last || stays)) base += of ? *of : last;
    last = at;
    of = total;
    if (in_epoch) epoch = in_epoch;
    return base + at;
  }
  double step() const { return base + last; }
};

}  // namespace ringlab
