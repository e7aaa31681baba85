// When a streamed average changes how much it sends, and how often. Pure: no clock, no network, no libtorch here.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ringlab {

/// Of a pace.
constexpr int kMaxStreamPeriod = 1'000'000;
constexpr double kMaxStreamBits = 4;

/// As in `local:PERIOD,stream=BITS,overlap=OVERLAP`.
struct StreamPace {
  int period = 1;
  int overlap = 1;
  double bits = 0.5;

  std::string text() const;
};

/// What was seen of one exchange; not a number where something is unknown.
struct StreamSigns {
  double exchange_seconds = 0;  ///< on the network: of the rank that waited least for the others
  double hiding_seconds = 0;    ///< that the slowest rank computed meanwhile
  double arrived = 0;           ///< share of the energy of the ranks' changes that was sent, 0 to 1; each matrix against its norm
  double distance = 0;          ///< of a rank from the anchor: root mean square over its matrices, as a part of their norms
  double loss = 0;              ///< of the step before, mean over ranks
};

enum class StreamReason { link_slower, link_faster, little_arrives, far_apart, loss_rises };
/// As in lines of metrics.
const char* name_of(StreamReason reason);

struct StreamChange {
  StreamPace to;
  StreamReason reason = StreamReason::link_slower;
  StreamSigns signs;  ///< medians of the exchanges that it was decided from
};

/// Judges the exchanges since the last change, kWindow at a time. For rank 0, one thread at a time; the same signs give the same changes.
class StreamRule {
 public:
  /// Of how many exchanges a judgement is made, and how many after a change are not looked at: they were still of the pace before.
  static constexpr size_t kWindow = 8;
  static constexpr size_t kSkipped = 3;
  static constexpr size_t kStateSize = 7 + 5 * kWindow;

  /// Begins at `start`: no period is longer, and there are no fewer bits, nor than are enough to learn as all-reduce does where that is less. `max_bits`: more are sent
  /// only for what is learned, and never more than four times as many, or than kMaxStreamBits.
  StreamRule(const StreamPace& start, double max_bits);

  std::optional<StreamChange> see(const StreamSigns& signs);
  const StreamPace& pace() const { return pace_; }
  /// Judges exchanges of `pace` from now on. False where it does so already.
  bool go_on_at(const StreamPace& pace);

  std::array<double, kStateSize> state() const;
  /// Throws std::runtime_error where the numbers are no state.
  void load_state(const double* numbers);

 private:
  std::optional<StreamPace> finer(const StreamPace& pace, double max_bits) const;
  std::optional<StreamPace> coarser(const StreamPace& pace) const;
  std::optional<StreamChange> judge();
  std::optional<StreamReason> learns_badly(const StreamSigns& middle);
  void begin_anew(const StreamPace& pace);

  StreamPace pace_;
  double max_bits_;
  double min_bits_;
  int max_period_;
  size_t skip_ = 0;
  double best_loss_;  ///< what the best window's mean since the last change is at most; infinite: of none
  int rising_ = 0;    ///< windows in which the loss was above it
  std::vector<StreamSigns> window_;
};

}  // namespace ringlab
