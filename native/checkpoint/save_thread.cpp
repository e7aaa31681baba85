#include "checkpoint/save_thread.h"

#include "base/clock.h"

namespace ringlab {
void SaveThread::start(std::shared_ptr<Snapshot> snapshot, std::function<void()> write) {
  wait();
  copied_ = false;
  idle_ = false;
  stall_ = 0;
  thread_ = std::thread([this, snapshot = std::move(snapshot), write = std::move(write)] {
    snapshot->copy();
    {
      const std::lock_guard lock(mutex_);
      copied_ = true;
      if (waiting_since_ > 0) stall_ = steady_seconds() - waiting_since_;
    }
    changed_.notify_all();
    write();
    idle_ = true;
  });
}

void SaveThread::wait_until_copied() {
  std::unique_lock lock(mutex_);
  if (copied_) return;
  waiting_since_ = steady_seconds();
  changed_.wait(lock, [this] { return copied_; });
  waiting_since_ = 0;
}

void SaveThread::wait() {
  if (thread_.joinable()) thread_.join();
}

double SaveThread::stall_seconds() const {
  const std::lock_guard lock(mutex_);
  return stall_;
}

}  // namespace ringlab
