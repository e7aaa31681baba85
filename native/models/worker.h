// A thread that runs submitted functions one after another.
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <thread>

namespace ringlab {

class Worker {
 public:
  Worker() : thread_([this] { work(); }) {}
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// The future rethrows the job's exception. Do not call it from a job.
  std::future<void> start(std::function<void()> job) {
    std::packaged_task<void()> task(std::move(job));
    auto done = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      jobs_.push(std::move(task));
    }
    changed_.notify_one();
    return done;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      auto job = std::move(jobs_.front());
      jobs_.pop();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::packaged_task<void()>> jobs_;
  bool closing_ = false;
  std::thread thread_;  ///< last member: it uses the others
};

}  // namespace ringlab
