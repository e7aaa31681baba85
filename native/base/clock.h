// The clocks that durations are measured by.
#pragma once

#include <chrono>
#include <ctime>

namespace ringlab {

/// Seconds since a moment before this process began, by a clock that never jumps: the same for all of its threads. For durations and deadlines.
inline double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Seconds of processor time that all threads of this process have used: independent of what other processes use.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace ringlab
