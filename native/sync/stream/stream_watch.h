// How the ranks of a streamed average agree on another pace: in notes behind the messages that they exchange anyway. No libtorch here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "sync/stream/stream_rule.h"

namespace ringlab {

/// Every row ends with a note: in a rank's message its signs, in rank 0's means what the rule decided last. Not for several threads at a time.
class StreamWatch {
 public:
  using Changed = std::function<void(const StreamPace& from, const StreamChange& change)>;

  /// `max_bits` 0: watches nothing, and notes have no bytes. `changed` is called with every change that this rank follows.
  StreamWatch(const StreamPace& start, double max_bits, Changed changed);

  bool watches() const { return watches_; }
  /// At the end of a row.
  int64_t note_bytes() const;

  void saw_loss(double loss) { own_.loss = loss; }
  /// Of the exchange that has landed; not a number where unknown.
  void saw_exchange(double exchange_seconds, double hiding_seconds);

  /// What this rank saw of the exchange before, and what it sends now: `energy` of all its changes and `sent` of them, over `matrices`.
  void sign(uint8_t* row, int64_t row_bytes, double energy, double sent, size_t matrices) const;
  /// Rank 0: decides from the notes of all ranks' rows about the exchanges to come.
  void judge(const std::vector<const uint8_t*>& rows, int64_t row_bytes);
  /// What was decided, into a row of rank 0's means.
  void announce(uint8_t* row, int64_t row_bytes) const;
  /// The pace from now on, where the note in a row of rank 0's means says another than `now`. Throws std::runtime_error where that is no pace.
  std::optional<StreamPace> follow(const StreamPace& now, const uint8_t* row, int64_t row_bytes) const;

  /// A decision: period, overlap, bits, why (a StreamReason counted from 1; 0: no change), and the signs that it was made from.
  using Decision = std::array<double, 9>;
  static constexpr size_t kStateSize = StreamRule::kStateSize + std::tuple_size<Decision>::value;
  /// The ranks' pace is this one, whatever was decided: judgements begin anew where it is another one.
  void go_on_at(const StreamPace& pace);

  /// The rule's, and the last decision.
  std::array<double, kStateSize> state() const;
  void load_state(const double* numbers);

 private:
  bool watches_;
  StreamRule rule_;  ///< rank 0's judges; the others' stay where they began
  Decision decided_{};
  Changed changed_;
  StreamSigns own_;
};

/// Throws std::runtime_error where it is none.
StreamPace checked_pace(double period, double overlap, double bits);

}  // namespace ringlab
