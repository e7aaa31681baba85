#include "collect/progress_report.h"

#include <algorithm>
#include <cmath>

namespace ringlab {

/// Where in an epoch its number is printed, and from which number epochs count.
void ProgressReport::learn(const ScriptProgress& progress) {
  if (progress.steps && !progress.epoch) before_epochs_ = true;
  if (progress.epoch) first_epoch_ = std::min(first_epoch_.value_or(*progress.epoch), *progress.epoch);
  in_epochs_ = in_epochs_ || (progress.epoch && progress.steps && !before_epochs_);
}

/// How much of the training is done, 0 to 1. An epoch that is under way may count from 1: then one less is complete. One that only a line at its end
/// names is complete itself.
std::optional<double> ProgressReport::share_of(const ScriptProgress& progress) const {
  if (!progress.epoch || !progress.epochs || *progress.epochs <= 0) return std::nullopt;
  const double within = progress.step && progress.steps && *progress.steps > 0 ? *progress.step / *progress.steps : 0;
  const double complete = *progress.epoch - (in_epochs_ && first_epoch_.value_or(0) >= 1 ? 1 : 0);
  return std::clamp((complete + within) / *progress.epochs, 0.0, 1.0);
}

void ProgressReport::say(const ScriptProgress& seen, double now, bool last, RankLines& lines) {
  if (now - said_at_ < 1 && !last) return;
  ScriptProgress progress = seen;
  learn(progress);
  const auto share = share_of(progress);
  std::optional<double> first = first_at_ ? share_of(first_) : std::nullopt;
  if (share && (!first || *share < *first)) {  // also a script that begins anew
    first_ = progress;
    first_at_ = now;
    first = share;
  }
  if (!progress.remaining && share && *share > *first && now > *first_at_) {
    progress.remaining = std::max(0.0, std::round((now - *first_at_) * (1 - *share) / (*share - *first)));
  }
  ScriptProgress counts = progress;
  counts.remaining = said_.remaining;
  if (counts == said_) return;
  if (lines.progress(progress)) {
    said_ = progress;
    said_at_ = now;
  }
}

}  // namespace ringlab
