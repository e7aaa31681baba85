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
  ScriptProgress said_;
  double said_at_ = 0;
  std::optional<double> first_share_;
  double first_share_at_ = 0;
};

}  // namespace ringlab
