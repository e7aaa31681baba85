// With a group of their own, a step's flags need not wait for the exchange that is under way.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <future>

#include "comm/collectives/collective_thread.h"
#include "tests/rank_threads.h"

namespace ringlab {
namespace {

constexpr int kWorldSize = 3;

void with_control_group(CommSettings& settings) { settings.control_group = true; }

/// Of a number that is the rank's, and one that is the same everywhere.
void expect_maximum(Communicator& communicator) {
  at::Tensor numbers = at::tensor({static_cast<float>(communicator.rank()), 7.0F});
  communicator.start_allreduce_max(numbers)();
  EXPECT_TRUE(at::equal(numbers, at::tensor({static_cast<float>(kWorldSize - 1), 7.0F}))) << "rank " << communicator.rank();
}

TEST(ControlGroup, NumbersPassWhatIsUnderWay) {
  const auto complaints = as_ranks(
      kWorldSize,
      [](Communicator& communicator) {
        std::promise<void> end;
        const auto exchange = communicator.thread().submit([ended = end.get_future().share()] { ended.wait(); });
        expect_maximum(communicator);
        end.set_value();
        exchange.get();
      },
      with_control_group);
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
}

TEST(ControlGroup, ExchangesAndNumbersInAnyOrderAreNotMixedUp) {
  const auto complaints = as_ranks(
      kWorldSize,
      [](Communicator& communicator) {
        for (int64_t round = 0; round < 40; ++round) {
          at::Tensor received;
          const auto exchange = communicator.thread().submit([&] { received = communicator.all_to_all(at::full({kWorldSize, 1000}, communicator.rank() + round)); });
          // Each rank at another time.
          if ((round + communicator.rank()) % 2 == 0) exchange.wait();
          expect_maximum(communicator);
          exchange.get();
          for (int64_t from = 0; from < kWorldSize; ++from) EXPECT_TRUE(at::equal(received[from], at::full({1000}, from + round))) << "round " << round;
        }
      },
      with_control_group);
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
}

}  // namespace
}  // namespace ringlab
