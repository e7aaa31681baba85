#include "collect/progress_report.h"

#include <algorithm>
#include <cmath>

namespace ringlab {
namespace {

/// How much of the training is done, 0 to 1.
std::optional<double> share_of(const ScriptProgress& progress) {
  const double within = progress.step && progress.steps && *progress.steps > 0 ? *progress.step / *progress.steps : 0;
  if (progress.epoch && progress.epochs && *progress.epochs > 0) return (*progress.epoch + within) / *progress.epochs;
  return std::nullopt;
}

}  // namespace

void ProgressReport::say(const ScriptProgress& seen, double now, bool last, RankLines& lines) {
  if (now - said_at_ < 1 && !last) return;
  ScriptProgress progress = seen;
  const auto share = share_of(progress);
  if (share && !first_share_) {
    first_share_ = share;
    first_share_at_ = now;
  }
  if (!progress.remaining && share && *share > *first_share_ && now > first_share_at_) {
    progress.remaining = std::max(0.0, std::round((now - first_share_at_) * (1 - *share) / (*share - *first_share_)));
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
