// Measures how long at least one of several overlapping exchanges of gradients was under way.
#pragma once

#include <mutex>

namespace ringlab {

/// For any thread. Each begin() has one end(). `now` is seconds of one steady clock; calls may come a little out of order.
class BusyClock {
 public:
  void begin(double now) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (under_way_++ == 0) since_ = now;
  }
  void end(double now) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--under_way_ == 0 && now > since_) total_ += now - since_;
  }
  /// Seconds up to `now`.
  double seconds(double now) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return total_ + (under_way_ > 0 && now > since_ ? now - since_ : 0);
  }

 private:
  mutable std::mutex mutex_;
  int under_way_ = 0;
  double since_ = 0;
  double total_ = 0;
};

}  // namespace ringlab
