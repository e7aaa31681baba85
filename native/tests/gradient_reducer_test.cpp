// Backward on ranks whose exchanges have failed.
#include "comm/collectives/gradient_reducer.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/collectives/collective_thread.h"

namespace ringlab {
namespace {

/// What backward threw; "": nothing. Ends the test program where it does not end.
std::string error_of_backward(const at::Tensor& loss) {
  std::promise<std::string> promise;
  auto answer = promise.get_future();
  std::thread([loss, promise = std::move(promise)]() mutable {
    try {
      loss.backward();
      promise.set_value("");
    } catch (const std::exception& error) {
      promise.set_value(error.what());
    }
  }).detach();
  if (answer.wait_for(std::chrono::seconds(60)) == std::future_status::ready) return answer.get();
  std::cerr << "backward waits for an exchange that never begins\n";
  std::_Exit(1);
}

/// Of a world of one rank.
CommSettings single_rank() {
  CommSettings settings;
  settings.world_size = 1;
  settings.master = {"127.0.0.1", free_local_port()};
  settings.on_peer_lost = [](const Failure& failure) { ADD_FAILURE() << failure.what(); };
  return settings;
}

TEST(GradientReducer, BackwardEndsWhereAnEarlierExchangeHasFailed) {
  for (const bool compressed : {false, true}) {
    Communicator communicator(single_rank());
    const at::Tensor weight = at::ones({4}).requires_grad_(true);
    ReductionSettings reduction;
    if (compressed) reduction.average = [](const std::vector<size_t>&, std::vector<at::Tensor>&) {};
    GradientReducer reducer(communicator, {{"weight", weight}}, std::move(reduction));
    reducer.before_forward(0);
    const at::Tensor loss = (weight * weight).sum();
    reducer.before_backward();
    // As the exchange of a step's flags, which begins before those of its buckets, where a rank was lost in the forward pass.
    communicator.thread().submit([] { throw std::runtime_error("the exchange was given up"); });
    const std::string error = error_of_backward(loss);
    EXPECT_NE(error.find("the exchange was given up"), std::string::npos) << (compressed ? "compressed" : "plain") << ": '" << error << "'";
    communicator.leave("the test has ended");
  }
}

/// As a script that ends after its last step: the process crashed.
TEST(GradientReducer, EndsAfterAnAverageThatIsOnItsWay) {
  Communicator communicator(single_rank());
  const at::Tensor weight = at::ones({4}).requires_grad_(true);
  std::promise<void> begun, goes_on;
  std::atomic<bool> done{false};
  ReductionSettings reduction;
  reduction.late = true;
  reduction.average = [&](const std::vector<size_t>&, std::vector<at::Tensor>&) {
    begun.set_value();
    goes_on.get_future().wait();
    done = true;
  };
  auto reducer = std::make_unique<GradientReducer>(communicator, std::vector<std::pair<std::string, at::Tensor>>{{"weight", weight}}, std::move(reduction));
  reducer->before_forward(0);
  const at::Tensor loss = (weight * weight).sum();
  reducer->before_backward();
  EXPECT_EQ(error_of_backward(loss), "");
  begun.get_future().wait();
  std::thread slow([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    goes_on.set_value();
  });
  reducer.reset();
  EXPECT_TRUE(done);
  slow.join();
}

}  // namespace
}  // namespace ringlab
