// The one thread that issues a rank's collectives.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace ringlab {

/// Runs jobs one after another, in the order in which they were submitted. c10d matches collectives by the order in which
/// a rank issues them: where two threads issue them (autograd's and the training loop's, say), the
/// ranks' orders differ sometimes, and Gloo aborts (`op.preamble.length <= op.nbytes`). Here there is one order: that of
/// submit(), which follows from the program's text and is the same on every rank.
///
/// A job may block until its collectives are done (PowerSGD's two in a row), or only issue one. After a job has thrown, every later one
/// fails with the same exception: the other ranks would wait for collectives in another order.
class CollectiveThread {
 public:
  CollectiveThread();
  /// Runs what was submitted, then joins.
  ~CollectiveThread();
  CollectiveThread(const CollectiveThread&) = delete;
  CollectiveThread& operator=(const CollectiveThread&) = delete;

  /// For any thread. The future throws what the job threw. Inside a job it runs at once: a job may use the Communicator. `on_failure` is called
  /// with the exception of a job that threw, or that did not run since an earlier one had: on this thread, before the future throws.
  std::shared_future<void> submit(std::function<void()> job, std::function<void(std::exception_ptr)> on_failure = {});

  /// Submits and waits.
  void run(std::function<void()> job) { submit(std::move(job)).get(); }

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> jobs_;
  std::exception_ptr failure_;  ///< of the first job that threw; touched by the thread alone
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace ringlab
