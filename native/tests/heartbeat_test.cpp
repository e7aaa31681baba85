// What a rank learns from the store about others, and about itself.
#include "comm/store/heartbeat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/store/key_store.h"
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

/// Rank 0's connection, whose first rounds are late, as those of a process that hardly gets a CPU: meanwhile the peer's heartbeats are not counted either.
class LateStore : public KeyStore {
 public:
  LateStore(std::unique_ptr<KeyStore> store, std::atomic<bool>& silent) : store_(std::move(store)), silent_(silent) {}
  void set(const std::string& key, const std::string& value) override { store_->set(key, value); }
  std::optional<std::string> get(const std::string& key) override { return store_->get(key); }
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) override { return store_->compare_set(key, expected, desired); }
  int64_t add(const std::string& key, int64_t amount) override {
    if (key == "beat/1") {
      // Heard, not in the late rounds, again after them, then never more.
      silent_ = round_ > kLast + 2;
      return round_ > 1 && round_ <= kLast ? 1 : std::min(round_, kLast + 2);
    }
    if (key == "beat/0" && ++round_ > 1 && round_ <= kLast) std::this_thread::sleep_for(std::chrono::milliseconds(700));
    return store_->add(key, amount);
  }
  bool check(const std::vector<std::string>& keys) override { return store_->check(keys); }
  bool wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout) override { return store_->wait(keys, timeout); }
  bool remove_key(const std::string& key) override { return store_->remove_key(key); }
  int64_t count() override { return store_->count(); }

 private:
  static constexpr int64_t kLast = 6;  ///< late round
  const std::unique_ptr<KeyStore> store_;
  std::atomic<bool>& silent_;
  int64_t round_ = 0;
};

TEST(Heartbeat, TheTimeInWhichRank0CouldNotLookIsNobodysSilence) {
  Store store;
  std::atomic<bool> silent{false};
  std::promise<bool> told;
  const Heartbeat heartbeat([&](const std::function<bool()>&) { return std::make_unique<LateStore>(store.connect(), silent); }, 0, 2, 2, [&](const LostPeer&) { told.set_value(silent); });
  auto lost = told.get_future();
  ASSERT_EQ(lost.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_TRUE(lost.get());
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
