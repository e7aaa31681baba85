// What a rank learns from the store about others, and about itself.
#include "comm/store/heartbeat.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "tests/run_store.h"

namespace ringlab {
namespace {

TEST(Heartbeat, ARankThatTheOthersDoNotHearIsTold) {
  Store store;
  store.connect()->set("beat/verdict", "1\nno heartbeat for 2.0 s");
  std::promise<LostPeer> told;
  const Heartbeat heartbeat([&](const std::function<bool()>&) { return store.connect(); }, 1, 3, 60, [&](const LostPeer& lost) { told.set_value(lost); });
  auto lost = told.get_future();
  ASSERT_EQ(lost.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  const LostPeer found = lost.get();
  EXPECT_EQ(found.rank, 1);
  EXPECT_EQ(found.reason, "no heartbeat for 2.0 s");
}

TEST(Heartbeat, AFirstRankThatEndsAfterAnotherOneWasLostIsKnown) {
  auto store = std::make_unique<Store>();
  store->connect()->set("beat/verdict", "2\nno heartbeat for 2.0 s");
  std::promise<int> told;
  Heartbeat heartbeat([&](const std::function<bool()>&) { return store->connect(); }, 1, 4, 60, [&](const LostPeer& lost) { told.set_value(lost.rank); });
  EXPECT_EQ(told.get_future().get(), 2);
  EXPECT_FALSE(heartbeat.has_first_ended(0));
  store.reset();
  EXPECT_TRUE(heartbeat.has_first_ended(30));
}

TEST(Heartbeat, ARankThatLeavesIsNotToldSo) {
  Store store;
  const auto client = store.connect();
  std::atomic<bool> told{false};
  Heartbeat heartbeat([&](const std::function<bool()>&) { return store.connect(); }, 1, 3, 60, [&](const LostPeer&) { told = true; });
  heartbeat.leave("its machine is shut down");
  EXPECT_EQ(client->get("beat/verdict"), "1\nits machine is shut down");
  // It has read the verdict since.
  const int64_t beats = client->add("beat/1", 0);
  while (client->add("beat/1", 0) < beats + 3) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace ringlab
