#include "checkpoint/save_thread.h"

#include <chrono>

namespace ringlab {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

void SaveThread::start(std::shared_ptr<Snapshot> snapshot, std::function<void()> write) {
  wait();
  copied_ = false;
  stall_ = 0;
  thread_ = std::thread([this, snapshot = std::move(snapshot), write = std::move(write)] {
    snapshot->copy();
    {
      const std::lock_guard lock(mutex_);
      copied_ = true;
      if (waiting_since_ > 0) stall_ = now() - waiting_since_;
    }
    changed_.notify_all();
    write();
  });
}

void SaveThread::wait_until_copied() {
  std::unique_lock lock(mutex_);
  if (copied_) return;
  waiting_since_ = now();
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
