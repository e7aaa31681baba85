// Threads that share one work.
#pragma once

#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace ringlab {

/// Adds threads that run `work` until there are `count`. Where the system refuses one (the limit on processes of a container, a pod or a user) those that were started stay.
/// Returns the reason, "" if all were started.
inline std::string start_threads(std::vector<std::thread>& threads, int count, const std::function<void()>& work) {
  // No other exception may leave this function: the threads there are would not be joined.
  threads.reserve(static_cast<size_t>(count));
  try {
    while (threads.size() < static_cast<size_t>(count)) threads.emplace_back(work);
  } catch (const std::system_error& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace ringlab
