// Steps over a whole run, from counts that start again in each epoch.
#pragma once

#include <optional>

namespace ringlab {

/// One kind of count: a progress bar, or the steps in printed lines.
struct StepTrack {
  double base = 0;  ///< steps of the epochs before
  double last = -1;
  std::optional<double> of;

  /// The step over the run. A count that falls starts again: the steps before it are complete.
  double step_of(double at, std::optional<double> total) {
    if (last >= 0 && at < last) base += of ? *of : last;
    last = at;
    of = total;
    return base + at;
  }
  double step() const { return base + last; }
};

}  // namespace ringlab
