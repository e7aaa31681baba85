#include "link/delay_line.h"

#include <algorithm>

namespace ringlab {

bool DelayLine::push(int64_t now, const char* frame, size_t size) {
  if (delay_.loss_percent > 0 && random_.uniform() * 100 < delay_.loss_percent) return false;
  if (size > kMaxBytes - bytes_) return false;
  const auto jitter = static_cast<double>(delay_.jitter_us);
  const double wait_us = static_cast<double>(delay_.delay_us) + (jitter > 0 ? random_.uniform(-jitter, jitter) : 0.0);
  last_due_ = std::max(last_due_, now + static_cast<int64_t>(std::max(0.0, wait_us) * 1000));
  frames_.push_back({last_due_, std::string(frame, size)});
  bytes_ += size;
  return true;
}

std::optional<int64_t> DelayLine::due() const {
  if (frames_.empty()) return std::nullopt;
  return frames_.front().due;
}

void DelayLine::pop() {
  bytes_ -= frames_.front().bytes.size();
  frames_.pop_front();
}

}  // namespace ringlab
