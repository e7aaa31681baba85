// Whether a run starts again after a failure, and when: the same rules as the app's (src/main/run/recovery/), by docs/recovery.md.
#pragma once

#include <string>
#include <vector>

#include "supervise/rank_end.h"

namespace ringlab {

struct RestartLimits {
  int per_hour = 12;
  double pause = 2;           ///< seconds before the second restart in a row without a new checkpoint; doubles
  double longest_pause = 60;  ///< seconds
};

/// `outside`: a killed or silent process, a lost peer; need not happen again. `own`: the trainer failed by itself, perhaps by chance.
/// `lasting`: it would fail in the same way until somebody changes something.
enum class Cause { outside, own, lasting };
Cause cause_of(const Ended& ended);

struct Decision {
  bool restart = false;
  std::string why;   ///< without a restart: "cause", "repeated", "tooOften"
  double pause = 0;  ///< seconds
};

/// Counts the failures of one run. Not thread-safe.
class RestartPolicy {
 public:
  explicit RestartPolicy(RestartLimits limits) : limits_(limits) {}

  /// `now`: steady seconds, so that a clock that is set changes no limit. `saved`: a new checkpoint was written since the last failure.
  /// `random`: in [0, 1), so that runs that lost the same node do not start at the same moment.
  Decision after(const Ended& failed, double now, bool saved, double random);

 private:
  struct Past {
    double at = 0;
    int rank = 0;
    int code = 0;
    int signal = 0;
  };
  RestartLimits limits_;
  std::vector<Past> fruitless_;   ///< in a row without a new checkpoint in between, the newest last
  std::vector<double> restarts_;  ///< when, within the last hour
};

}  // namespace ringlab
