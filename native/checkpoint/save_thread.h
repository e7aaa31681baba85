// Background saves while training continues: one at a time, on a separate thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "checkpoint/snapshot.h"

namespace ringlab {

/// All functions are for the training thread, except stall_seconds(), which is for the writing thread.
class SaveThread {
 public:
  SaveThread() = default;
  /// Waits for the current save.
  ~SaveThread() { wait(); }
  SaveThread(const SaveThread&) = delete;
  SaveThread& operator=(const SaveThread&) = delete;

  /// Waits for the previous save, then copies the tensors that `snapshot` deferred and runs `write`, both on the other
  /// thread. `write` handles its own failures: an exception from it ends the program.
  void start(std::shared_ptr<Snapshot> snapshot, std::function<void()> write);

  /// Call it before tensors of the last snapshot change: returns when they are copied.
  void wait_until_copied();

  /// Waits until the last save is written.
  void wait();

  /// Whether wait() would return at once.
  bool is_idle() const { return idle_; }

  /// For `write`: how long wait_until_copied() blocked training for this save.
  double stall_seconds() const;

 private:
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> idle_{true};
  bool copied_ = true;
  double waiting_since_ = 0;  ///< steady clock, seconds; 0: the training thread is not waiting
  double stall_ = 0;
};

}  // namespace ringlab
