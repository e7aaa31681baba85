// The clock that never jumps: durations and deadlines are measured by it.
#pragma once

#include <chrono>

namespace ringlab {

/// Seconds since some moment before this process began: the same for all of its threads.
inline double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace ringlab
