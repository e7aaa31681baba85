// Ranks tell each other where they are.
#include "comm/store/rank_places.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "comm/store/named_store.h"
#include "tests/run_store.h"

namespace ringlab {
namespace {

/// Counts the questions, but for waiting: a busy machine waits in more pieces.
class CountingStore : public NamedStore {
 public:
  explicit CountingStore(std::shared_ptr<KeyStore> store) : NamedStore(std::move(store), "") {}
  void set(const std::string& key, const std::string& value) override {
    ++questions;
    NamedStore::set(key, value);
  }
  std::optional<std::string> get(const std::string& key) override {
    ++questions;
    return NamedStore::get(key);
  }
  int64_t add(const std::string& key, int64_t amount) override {
    ++questions;
    return NamedStore::add(key, amount);
  }
  bool check(const std::vector<std::string>& keys) override {
    ++questions;
    return NamedStore::check(keys);
  }
  std::atomic<int> questions{0};
};

PlaceExchange of_rank(int rank, int world_size, double seconds = 60) {
  PlaceExchange exchange;
  exchange.rank = rank;
  exchange.world_size = world_size;
  exchange.seconds = seconds;
  exchange.deadline = steady_seconds() + seconds;
  return exchange;
}

Endpoint place_of(int rank) { return {"192.0.2." + std::to_string(rank), static_cast<uint16_t>(1000 + rank)}; }

const std::string kAnyPlace("p\0\0\0\1x\0\0\0\0\0\0\0\0", 14);

/// The message of the Failure with which `rank` ends.
std::string complaint_of(KeyStore& store, const PlaceExchange& exchange, ErrorCode code, int about = -1) {
  try {
    exchange_places(store, exchange, place_of(exchange.rank));
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), code) << failure.what();
    EXPECT_EQ(failure.peer_rank(), about) << failure.what();
    return failure.what();
  }
  return "no complaint";
}

TEST(RankPlaces, ARankAsksAsOftenHoweverManyThereAre) {
  Store store;
  constexpr int kRanks = 40;
  std::vector<std::unique_ptr<CountingStore>> stores;
  for (int rank = 0; rank < kRanks; ++rank) stores.push_back(std::make_unique<CountingStore>(store.connect()));
  std::vector<std::vector<Endpoint>> places(kRanks);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&, rank] { places[static_cast<size_t>(rank)] = exchange_places(*stores[static_cast<size_t>(rank)], of_rank(rank, kRanks), place_of(rank)); });
  }
  for (auto& rank : ranks) rank.join();
  for (const auto& seen : places) {
    ASSERT_EQ(seen.size(), static_cast<size_t>(kRanks));
    for (int rank = 0; rank < kRanks; ++rank) EXPECT_EQ(seen[static_cast<size_t>(rank)].str(), place_of(rank).str());
  }
  // Rank 0's store is in its own process. The others tell their place, read all, and say so: three round trips, and two in which they wait.
  for (int rank = 1; rank < kRanks; ++rank) EXPECT_EQ(stores[static_cast<size_t>(rank)]->questions, 3);
}

TEST(RankPlaces, AllNameTheRanksThatAreMissing) {
  Store store;
  const auto zero = store.connect();
  const auto two = store.connect();
  std::string said;
  std::thread other([&] { said = complaint_of(*two, of_rank(2, 4), ErrorCode::rendezvous_timeout, 1); });
  PlaceExchange impatient = of_rank(0, 4, 2.5);
  impatient.remark = [] { return "; 1 connection was refused"; };
  // Rank 2's place may not be there at once on a busy machine.
  while (!zero->check({"meet/place/2"})) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(complaint_of(*zero, impatient, ErrorCode::rendezvous_timeout, 1), "ranks 1, 3 of 4 did not join within 2.5 s; 1 connection was refused");
  other.join();
  EXPECT_EQ(said, "ranks 1, 3 of 4 did not join within 60 s");
}

TEST(RankPlaces, ARankThatGivesUpBeforeRankZeroNamesThemToo) {
  Store store;
  const auto zero = store.connect();
  const auto one = store.connect();
  one->set("meet/place/1", kAnyPlace);
  std::thread first([&] { complaint_of(*zero, of_rank(0, 3), ErrorCode::peer_disagrees); });
  while (!one->check({"meet/missing"})) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(complaint_of(*one, of_rank(1, 3, 0.1), ErrorCode::rendezvous_timeout, 2), "rank 2 of 3 did not join within 0.1 s");
  refuse_to_join(*one, "enough");
  first.join();
}

TEST(RankPlaces, ARankThatDisagreesEndsAll) {
  Store store;
  const auto zero = store.connect();
  const auto one = store.connect();
  std::string said;
  std::thread other([&] { said = complaint_of(*one, of_rank(1, 3), ErrorCode::peer_disagrees); });
  std::thread refuses([&] { refuse_to_join(*store.connect(), "arch: rank 0 has a, rank 2 has b"); });
  EXPECT_EQ(complaint_of(*zero, of_rank(0, 3), ErrorCode::peer_disagrees), "arch: rank 0 has a, rank 2 has b");
  other.join();
  refuses.join();
  EXPECT_EQ(said, "arch: rank 0 has a, rank 2 has b");
}

TEST(RankPlaces, RanksThatDoNotReadTheListAreCounted) {
  Store store;
  const auto zero = store.connect();
  store.connect()->set("meet/place/1", kAnyPlace);
  EXPECT_EQ(complaint_of(*zero, of_rank(0, 2, 0.3), ErrorCode::rendezvous_timeout), "1 of 2 ranks did not read the others' addresses in time");
}

TEST(RankPlaces, AListThatIsNoneIsRefused) {
  const std::string places[] = {"p", std::string("p\0\0\0\1x\0\0\0\0\0\1\0\0", 14), kAnyPlace + "more", "x"};
  for (const std::string& list : places) {
    Store store;
    const auto one = store.connect();
    one->set("meet/answer", list);
    PlaceExchange exchange = of_rank(1, 1);
    EXPECT_NE(complaint_of(*one, exchange, ErrorCode::peer_disagrees), "no complaint");
  }
}

}  // namespace
}  // namespace ringlab
