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
  std::optional<double> of;
  std::optional<double> epoch;
  std::map<double, double> starts;  ///< by epoch, the steps before it; of at most kMaxStarts epochs

  static constexpr size_t kMaxStarts = 1000;

  /// The step over the run. A count that falls, or stays in another epoch, starts again: the steps before it are complete.
  /// `in_epoch`: as the count itself says; `near_epoch`: as the lines before it say.
  double step_of(double at, std::optional<double> total, std::optional<double> in_epoch, std::optional<double> near_epoch) {
    const bool stays = at == last && in_epoch && epoch && *in_epoch > *epoch;
    const bool falls = last >= 0 && (at < last || stays);
    const bool begins = falls || last < 0;
    if (falls) base += of ? *of : last;
    if (last < 0 && near_epoch) base = start_of(*near_epoch, total);
    if (begins && near_epoch && starts.size() < kMaxStarts) starts.emplace(*near_epoch, base);
    last = at;
    of = total;
    if (in_epoch) epoch = in_epoch;
    return base + at;
  }
  double step() const { return base + last; }

  /// The script has started again. Its counts are of the whole run, or of an epoch that it names.
  void begin_attempt() {
    base = 0;
    last = -1;
    of.reset();
    epoch.reset();
  }

 private:
  /// Steps before an epoch: as they were counted, or by the length of an epoch. 0 where neither is known.
  double start_of(double in_epoch, std::optional<double> length) const {
    auto at = starts.upper_bound(in_epoch);
    if (at == starts.begin()) return 0;
    --at;
    if (at->first == in_epoch) return at->second;
    return length ? at->second + (in_epoch - at->first) * *length : 0;
  }
};

/// By the name of what is counted.
using StepTracks = std::map<std::string, StepTrack>;
constexpr size_t kMaxTracks = 64;

/// A JSON object that tracks_of() takes.
std::string json_of(const StepTracks& tracks);
/// At most kMaxTracks; what is not understood is left out.
StepTracks tracks_of(const JsonValue& object);

}  // namespace ringlab
