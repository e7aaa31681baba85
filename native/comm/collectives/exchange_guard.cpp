#include "comm/collectives/exchange_guard.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ringlab {
namespace {

std::exception_ptr lost_error() { return std::make_exception_ptr(ExchangeFailure("the exchange was given up: a rank was lost")); }

}  // namespace

/// The backends' own errors are those of the connections; a device's appear here, too, where an exchange waits for it.
std::exception_ptr exchange_failure(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const c10::Error& of_libtorch) {
    const std::string what = of_libtorch.what_without_backtrace();
    return what.find("CUDA error") == std::string::npos ? std::make_exception_ptr(ExchangeFailure(what)) : error;
  } catch (const std::exception& of_backend) {
    return std::make_exception_ptr(ExchangeFailure(of_backend.what()));
  }
}

struct ExchangeGuard::UnderWay {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<c10::intrusive_ptr<Watched>> works;
  bool ending = false;  ///< none may start
  bool over = false;    ///< none may go on
};

/// A work that completes with the result or the error of `inner`, or with the error given to end(), whichever comes first.
class ExchangeGuard::Watched : public c10d::Work {
 public:
  explicit Watched(WorkPointer inner) : inner_(std::move(inner)) {
    const auto result = inner_->getFuture();
    future_ = result->createInstance(result->elementType());
  }

  /// Only the first end counts.
  void end(std::exception_ptr error, const c10::IValue& value = {}) {
    if (ended_.exchange(true)) return;
    if (error) {
      future_->setError(error);
    } else {
      future_->markCompleted(value);
    }
    finish(error);
  }

  c10d::Work& inner() { return *inner_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }
  std::vector<at::Tensor> result() override { return inner_->result(); }
  /// wait() calls this after an end without an error alone.
  void synchronize() override { inner_->synchronize(); }

 private:
  WorkPointer inner_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
  std::atomic<bool> ended_{false};
};

ExchangeGuard::ExchangeGuard() : under_way_(std::make_shared<UnderWay>()) {}

ExchangeGuard::~ExchangeGuard() {
  if (ending_.joinable()) ending_.join();
}

ExchangeGuard::WorkPointer ExchangeGuard::watch(const std::function<WorkPointer()>& start) {
  const auto shared = under_way_;
  {
    const std::lock_guard lock(shared->mutex);
    if (shared->ending) std::rethrow_exception(lost_error());
  }
  auto work = c10::make_intrusive<Watched>(start());
  bool over = false;
  {
    const std::lock_guard lock(shared->mutex);
    over = shared->over;
    if (!over) shared->works.insert(work);
  }
  if (over) work->end(lost_error());
  work->inner().getFuture()->addCallback([shared, work](c10::ivalue::Future& result) {
    if (result.hasError()) work->end(exchange_failure(result.exception_ptr()));
    else work->end(nullptr, result.value());
    const std::lock_guard lock(shared->mutex);
    shared->works.erase(work);
    shared->changed.notify_all();
  });
  return work;
}

void ExchangeGuard::end(std::chrono::milliseconds patience, std::function<void()> abandon) {
  {
    const std::lock_guard lock(under_way_->mutex);
    if (std::exchange(under_way_->ending, true)) return;
  }
  ending_ = std::thread([shared = under_way_, patience, abandon = std::move(abandon)] {
    std::set<c10::intrusive_ptr<Watched>> left;
    {
      std::unique_lock lock(shared->mutex);
      shared->changed.wait_for(lock, patience, [&shared] { return shared->works.empty(); });
      shared->over = true;
      left.swap(shared->works);
    }
    if (left.empty()) return;
    abandon();
    for (const auto& work : left) work->end(lost_error());
  });
}

namespace {

class GuardedGloo : public c10d::ProcessGroupGloo {
 public:
  GuardedGloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, const c10::intrusive_ptr<Options>& options, std::shared_ptr<ExchangeGuard> guard)
      : c10d::ProcessGroupGloo(store, rank, size, options), guard_(std::move(guard)) {}

  using Work = c10::intrusive_ptr<c10d::Work>;
  using Tensors = std::vector<at::Tensor>;

  Work broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override {
    return guard_->watch([&] { return ProcessGroupGloo::broadcast(tensors, options); });
  }
  Work allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override {
    return guard_->watch([&] { return ProcessGroupGloo::allreduce(tensors, options); });
  }
  Work allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override {
    return guard_->watch([&] { return ProcessGroupGloo::allgather(outputs, inputs, options); });
  }
  Work alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_sizes, std::vector<int64_t>& input_sizes, const c10d::AllToAllOptions& options) override {
    return guard_->watch([&] { return ProcessGroupGloo::alltoall_base(output, input, output_sizes, input_sizes, options); });
  }
  Work barrier(const c10d::BarrierOptions& options) override {
    return guard_->watch([&] { return ProcessGroupGloo::barrier(options); });
  }

 private:
  const std::shared_ptr<ExchangeGuard> guard_;
};

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroupGloo> guarded_gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                         const c10::intrusive_ptr<c10d::ProcessGroupGloo::Options>& options, const std::shared_ptr<ExchangeGuard>& guard) {
  return c10::make_intrusive<GuardedGloo>(store, rank, size, options, guard);
}

}  // namespace ringlab
