#include "comm/collectives/collective_thread.h"

#include <c10/core/GradMode.h>

#include <utility>

namespace ringlab {

CollectiveThread::CollectiveThread() : thread_([this] { work(); }) {}

CollectiveThread::~CollectiveThread() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::shared_future<void> CollectiveThread::submit(std::function<void()> job, std::function<void(std::exception_ptr)> on_failure) {
  std::packaged_task<void()> task([this, job = std::move(job), on_failure = std::move(on_failure)] {
    try {
      if (!failure_) job();
    } catch (...) {
      failure_ = std::current_exception();
    }
    if (!failure_) return;
    if (on_failure) on_failure(failure_);
    std::rethrow_exception(failure_);
  });
  std::shared_future<void> done = task.get_future().share();
  if (std::this_thread::get_id() == thread_.get_id()) {
    task();
    return done;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    jobs_.push_back(std::move(task));
  }
  changed_.notify_one();
  return done;
}

void CollectiveThread::work() {
  const c10::AutoGradMode no_grad(false);
  while (true) {
    std::packaged_task<void()> task;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      task = std::move(jobs_.front());
      jobs_.pop_front();
    }
    task();
  }
}

}  // namespace ringlab
