// How the ranks of a streamed average agree on another pace: in notes behind the messages that they exchange anyway. No libtorch here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "sync/stream/stream_rule.h"

namespace ringlab {

/// Every row ends with a note: of a rank's message its signs, of rank 0's means what the rule decided. Not for several threads at a time.
class StreamWatch {
 public:
  using Changed = std::function<void(const StreamPace& from, const StreamChange& change)>;

  /// `most_bits` 0: watches nothing, and notes have no bytes. `changed` is called with every change that this rank follows.
  StreamWatch(const StreamPace& start, double most_bits, int64_t longest, Changed changed);

  bool watches() const { return watches_; }
  /// At the end of a row.
  int64_t note_bytes() const;

  void saw_loss(double loss) { own_.loss = loss; }
  /// Of the exchange that has landed; not a number where unknown.
  void saw_exchange(double exchange_seconds, double hiding_seconds);

  /// What this rank saw of the exchange before, and what it sends now: `energy` of all its changes and `sent` of them, over `matrices`.
  void sign(uint8_t* row, int64_t row_bytes, double energy, double sent, size_t matrices) const;
  /// Rank 0: from the rows of all ranks, the pace of the exchanges to come, into the row of its means.
  void judge(const std::vector<const uint8_t*>& rows, uint8_t* mean, int64_t row_bytes);
  /// The pace from now on, where rank 0's means say another than `now`. Throws std::runtime_error where that is no pace.
  std::optional<StreamPace> follow(const StreamPace& now, const uint8_t* mean, int64_t row_bytes) const;

  /// The rule's.
  std::array<double, StreamRule::kStateSize> state() const { return rule_.state(); }
  void load_state(const double* numbers) { rule_.load_state(numbers); }

 private:
  bool watches_;
  StreamRule rule_;  ///< rank 0's judges; the others' stay where they began
  Changed changed_;
  StreamSigns own_;
};

/// Throws std::runtime_error where it is none.
StreamPace checked_pace(double period, double overlap, double bits);

}  // namespace ringlab
