// One direction of an emulated link: frames wait for a delay, with jitter, and some are lost. Pure: no clock, no sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/random.h"

namespace ringlab {

/// As drawn; the same in both directions.
struct LinkDelay {
  int64_t delay_us = 0;
  int64_t jitter_us = 0;  ///< greatest deviation of a frame's delay to either side, uniform
  double loss_percent = 0;

  bool operator==(const LinkDelay& other) const { return delay_us == other.delay_us && jitter_us == other.jitter_us && loss_percent == other.loss_percent; }
};

/// Frames leave in the order in which they came: real paths seldom reorder, and TCP takes reordering for loss. Times are nanoseconds of
/// any steady clock.
class DelayLine {
 public:
  /// Frames beyond so many bytes are dropped: a minute at 10 Gbps would take all memory.
  static constexpr size_t kMaxBytes = size_t{256} << 20;

  DelayLine(const LinkDelay& delay, Stream random) : delay_(delay), random_(random) {}

  /// For frames that come from now on.
  void set(const LinkDelay& delay) { delay_ = delay; }
  /// False if the frame is lost, by chance or because too much waits.
  bool push(int64_t now, const char* frame, size_t size);
  /// When the first frame leaves; nothing while none waits.
  std::optional<int64_t> due() const;
  /// The first frame; there is one.
  const std::string& front() const { return frames_.front().bytes; }
  void pop();

 private:
  struct Frame {
    int64_t due;
    std::string bytes;
  };

  LinkDelay delay_;
  Stream random_;
  std::deque<Frame> frames_;
  size_t bytes_ = 0;
  int64_t last_due_ = INT64_MIN;
};

}  // namespace ringlab
