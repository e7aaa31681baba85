// Saves in the background while training continues: one at a time, on its own thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "checkpoint/snapshot.h"

namespace ringlab {

/// All functions are the training thread's, but for stall_seconds(), which is the writing's.
class SaveThread {
 public:
  SaveThread() = default;
  /// Waits for the current save.
  ~SaveThread() { wait(); }
  SaveThread(const SaveThread&) = delete;
  SaveThread& operator=(const SaveThread&) = delete;

  /// Waits for the save before, then copies what `snapshot` left for later and runs `write`, both on the other thread.
  /// `write` accounts for its own failures: what it throws ends the program.
  void start(std::shared_ptr<Snapshot> snapshot, std::function<void()> write);

  /// To be called before tensors of the last snapshot change: returns at once, or when they are copied.
  void wait_until_copied();

  /// Until the last save is written.
  void wait();

  /// For `write`: how long wait_until_copied() held the training up for this save.
  double stall_seconds() const;

 private:
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool copied_ = true;
  double waiting_since_ = 0;  ///< steady clock, seconds; 0: the training thread does not wait
  double stall_ = 0;
};

}  // namespace ringlab
