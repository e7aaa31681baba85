// Inside comm/ only. Exchanges of a Gloo group that end where a rank is lost, whatever Gloo does.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace ringlab {

/// How an exchange fails that a lost rank may have ended. A device's own error in an exchange is passed on as it is.
class ExchangeFailure : public std::runtime_error {
 public:
  explicit ExchangeFailure(const std::string& what) : std::runtime_error(what) {}
};

/// The error of an exchange as ExchangeFailure with the same words, or as it is where it is a device's own.
std::exception_ptr exchange_failure(const std::exception_ptr& error);

/// Gloo has no call that ends an exchange. Where its connections are shut down most exchanges fail at once, but not all: Gloo does not notice the end of a connection on
/// which it has read half of a message for an exchange that has ended, and another exchange that waits for that connection waits for the group's time-out. A watched
/// exchange ends then, too, so that neither libtorch's Reducer nor a caller of wait() waits for Gloo alone.
/// watch() and end() are for any thread.
class ExchangeGuard {
 public:
  using WorkPointer = c10::intrusive_ptr<c10d::Work>;

  ExchangeGuard();
  /// After end(): waits until all watched exchanges have ended, for its `patience` at most.
  ~ExchangeGuard();
  ExchangeGuard(const ExchangeGuard&) = delete;
  ExchangeGuard& operator=(const ExchangeGuard&) = delete;

  /// Calls `start`. The work returned ends as the one that `start` returned, or with the guard; it fails with ExchangeFailure. Throws ExchangeFailure after end().
  WorkPointer watch(const std::function<WorkPointer()>& start);

  /// No exchange starts any more. Those that are under way after `patience` fail; before that `abandon` is called, in a thread of the guard's: after it nothing
  /// may write to their tensors. A second call does nothing.
  void end(std::chrono::milliseconds patience, std::function<void()> abandon);

 private:
  struct UnderWay;
  class Watched;
  std::shared_ptr<UnderWay> under_way_;  ///< shared with the exchanges, which may outlive the guard
  std::thread ending_;
};

/// A Gloo group whose exchanges `guard` watches.
c10::intrusive_ptr<c10d::ProcessGroupGloo> guarded_gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                         const c10::intrusive_ptr<c10d::ProcessGroupGloo::Options>& options, const std::shared_ptr<ExchangeGuard>& guard);

}  // namespace ringlab
