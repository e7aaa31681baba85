// Exchanges that a lost rank must not hold up.
#include "comm/collectives/exchange_guard.h"

#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compat/c10d_version.h"

namespace ringlab {
namespace {

using Future = c10::ivalue::Future;
using std::chrono::hours;
using std::chrono::milliseconds;

/// A work that ends when its future does.
class TestWork : public c10d::Work {
 public:
  TestWork() : future_(c10::make_intrusive<Future>(c10::TensorType::get())) {}
  c10::intrusive_ptr<Future> getFuture() override { return future_; }
  void synchronize() override {}

 private:
  c10::intrusive_ptr<Future> future_;
};

std::string error_of(c10d::Work& work) {
  try {
    work.wait();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

void nothing() {}

TEST(ExchangeGuard, PassesOnHowAnExchangeEnded) {
  ExchangeGuard guard;
  const auto good = c10::make_intrusive<TestWork>();
  const auto bad = c10::make_intrusive<TestWork>();
  const auto first = guard.watch([&] { return good; });
  const auto second = guard.watch([&] { return bad; });
  EXPECT_FALSE(first->isCompleted());
  good->getFuture()->markCompleted(at::full({1}, 7.0));
  bad->getFuture()->setError(std::make_exception_ptr(std::runtime_error("connection reset")));
  EXPECT_EQ(error_of(*first), "");
  EXPECT_EQ(first->getFuture()->value().toTensor().item<double>(), 7.0);
  EXPECT_EQ(error_of(*second), "connection reset");
  EXPECT_TRUE(second->getFuture()->hasError());
}

TEST(ExchangeGuard, FailsAsAnExchangeUnlessTheDeviceItselfFailed) {
  ExchangeGuard guard;
  const auto fails_with = [&guard](std::exception_ptr error) {
    const auto inner = c10::make_intrusive<TestWork>();
    const auto watched = guard.watch([&] { return inner; });
    inner->getFuture()->setError(std::move(error));
    try {
      watched->wait();
    } catch (const ExchangeFailure&) {
      return "exchange";
    } catch (const c10::Error&) {
      return "own";
    }
    return "nothing";
  };
  const auto of_libtorch = [](const char* what) { return std::make_exception_ptr(c10::Error({__func__, __FILE__, __LINE__}, what)); };
  EXPECT_STREQ(fails_with(std::make_exception_ptr(std::runtime_error("Connection closed by peer"))), "exchange");
  EXPECT_STREQ(fails_with(of_libtorch("Connection reset by peer")), "exchange");
  EXPECT_STREQ(fails_with(of_libtorch("CUDA error: uncorrectable ECC error encountered")), "own");
}

TEST(ExchangeGuard, EndsAnExchangeThatNeverEnds) {
  ExchangeGuard guard;
  const auto stuck = c10::make_intrusive<TestWork>();
  const auto watched = guard.watch([&] { return stuck; });
  std::atomic<bool> abandoned{false};
  bool first = false;
  watched->getFuture()->addCallback([&](Future&) { first = abandoned; });
  guard.end(milliseconds(1), [&] { abandoned = true; });
  EXPECT_NE(error_of(*watched).find("a rank was lost"), std::string::npos);
  EXPECT_TRUE(first) << "it failed while its tensors could still be written to";
  // What comes later changes nothing.
  stuck->getFuture()->markCompleted(at::zeros({1}));
  EXPECT_TRUE(watched->getFuture()->hasError());
}

TEST(ExchangeGuard, LeavesExchangesTimeToEndThemselves) {
  ExchangeGuard guard;
  const auto slow = c10::make_intrusive<TestWork>();
  const auto watched = guard.watch([&] { return slow; });
  guard.end(hours(1), [] { ADD_FAILURE() << "abandoned"; });
  slow->getFuture()->setError(std::make_exception_ptr(std::runtime_error("connection reset")));
  EXPECT_EQ(error_of(*watched), "connection reset");
}

TEST(ExchangeGuard, StartsNothingAfterItsEnd) {
  ExchangeGuard guard;
  guard.end(milliseconds(0), nothing);
  guard.end(hours(1), nothing);
  bool started = false;
  const auto start = [&]() -> ExchangeGuard::WorkPointer {
    started = true;
    return c10::make_intrusive<TestWork>();
  };
  EXPECT_THROW(guard.watch(start), std::runtime_error);
  EXPECT_FALSE(started);
}

TEST(ExchangeGuard, EndsWhatStartedMeanwhile) {
  ExchangeGuard guard;
  // The end comes between the question whether an exchange may start and its start.
  const auto watched = guard.watch([&]() -> ExchangeGuard::WorkPointer {
    guard.end(milliseconds(0), nothing);
    return c10::make_intrusive<TestWork>();
  });
  EXPECT_NE(error_of(*watched).find("a rank was lost"), std::string::npos);
}

/// A rank that never takes part.
TEST(ExchangeGuard, EndsGloosOwnExchanges) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto guard = std::make_shared<ExchangeGuard>();
  const auto group = [&](int rank, const std::shared_ptr<ExchangeGuard>& of) {
    auto options = c10d::ProcessGroupGloo::Options::create();
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
    options->threads = 2;
    // Gloo's own end of an exchange, which its destructor waits for.
    options->timeout = std::chrono::seconds(5);
    return compat::group_of(guarded_gloo(store, rank, 2, options, of));
  };
  decltype(group(0, guard)) idle;
  std::thread other([&] { idle = group(1, std::make_shared<ExchangeGuard>()); });
  const auto gloo = group(0, guard);
  other.join();
  std::vector<at::Tensor> tensors{at::ones({4})};
  std::vector<std::vector<at::Tensor>> gathered{{at::zeros({4}), at::zeros({4})}};
  const std::vector<ExchangeGuard::WorkPointer> works{gloo->allreduce(tensors), gloo->broadcast(tensors), gloo->allgather(gathered, tensors), gloo->barrier()};
  guard->end(milliseconds(1), nothing);
  for (const auto& work : works) EXPECT_NE(error_of(*work).find("a rank was lost"), std::string::npos);
}

}  // namespace
}  // namespace ringlab
