// Steps over a whole run, from counts that start again in each epoch, and in each attempt.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "collect/records/json_reader.h"

namespace ringlab {

/// One kind of count: a progress bar, or the steps in printed lines.
struct StepTrack {
  double base = 0;  ///< steps of the epochs before
  double last = -1;
  double first = 0;  ///< the count with which it began, or began anew
  double rise = 0;   ///< the largest one between two counts
  std::optional<double> of;
  std::optional<double> epoch;      ///< in which `last` was
  std::optional<double> ended;      ///< the last count before it began anew
  double ended_base = 0;
  bool valued = false;              ///< it had values, too
  std::optional<double> within;     ///< where the training was when this bar began inside of its: an evaluation's
  std::map<double, double> starts;  ///< by epoch, the steps before it; of at most kMaxStarts epochs

  static constexpr size_t kMaxStarts = 1000;

  /// The step over the run. A count that is lower in a later epoch starts again: the steps before it are complete. Where no epoch is known, it has
  /// to be back where it began. A count that falls otherwise is that of a rank that is behind, in the same log, or of a script that torchrun has
  /// started again. `now`: the epoch as the count itself (`own`) or the lines before it say.
  double step_of(double at, std::optional<double> total, std::optional<double> now, bool own);

  /// Whether this bar, whose next count is `at`, is drawn inside of the training's, `outer`: it began when that one was under way. `now`: the epoch.
  bool is_within(const StepTrack& outer, double at, std::optional<double> now);

  /// Whether a bar of fewer batches that says nothing else is the evaluation behind this one, the training's. Where the epoch, `now`, is not
  /// this one's, or not known, the training's own may be shorter, but not by half.
  bool is_followed_by(double total, std::optional<double> now) const;

  /// The script has started again. Its counts are of the whole run, or of an epoch that it names.
  void begin_attempt();

 private:
  bool begins_anew(double at, bool next_epoch, bool own) const;
  bool is_late(double at) const;
  void begin(double at, std::optional<double> now);
  double start_of(double in_epoch, std::optional<double> length) const;
};

/// By the name of what is counted.
using StepTracks = std::map<std::string, StepTrack>;
constexpr size_t kMaxTracks = 64;

/// A JSON object that tracks_of() takes.
std::string json_of(const StepTracks& tracks);
/// At most kMaxTracks; what is not understood is left out.
StepTracks tracks_of(const JsonValue& object);

}  // namespace ringlab
