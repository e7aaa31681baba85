// Clocks to measure durations.
#pragma once

#include <chrono>
#include <ctime>

namespace ringlab {

/// Seconds from a monotonic clock, for durations and deadlines: its origin is before the process start and common to all threads.
inline double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Seconds of processor time used by all threads of this process: independent of other processes.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace ringlab
