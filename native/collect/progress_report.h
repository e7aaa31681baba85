// `script_progress` lines: how far a script is, and how long it still takes.
#pragma once

#include <optional>

#include "collect/rank_lines.h"
#include "collect/records/reader.h"

namespace ringlab {

class ProgressReport {
 public:
  /// Writes a line where the counts have changed, at most one a second; `last`: also sooner. Where the script does not say what
  /// remains, that is estimated from what was done since the first call. `now`: Unix seconds.
  void say(const ScriptProgress& seen, double now, bool last, RankLines& lines);

 private:
  void learn(const ScriptProgress& progress);
  std::optional<double> share_of(const ScriptProgress& progress) const;

  ScriptProgress said_;
  std::optional<double> first_epoch_;  ///< the lowest one: scripts count from 0 or 1
  bool in_epochs_ = false;             ///< steps were seen in an epoch that was named before
  bool before_epochs_ = false;         ///< steps were seen before an epoch was named: it is at its end then
  double said_at_ = 0;
  ScriptProgress first_;               ///< that names epochs and how many there are
  std::optional<double> first_at_;
};

}  // namespace ringlab
