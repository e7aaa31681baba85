// When a streamed average sends more or less: from signs that are made by hand.
#include "sync/stream/stream_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "sync/stream/stream_watch.h"

namespace ringlab {
namespace {

/// A link on which `bits` at a period of one take `share` of the computing of a step.
struct Link {
  double share = 0.8;
  double bits = 0.156;
};

StreamSigns signs_of(const StreamPace& pace, const Link& link, double loss = 1) {
  StreamSigns signs;
  signs.hiding_seconds = 0.25 * pace.overlap;
  signs.exchange_seconds = 0.25 * link.share * pace.bits / link.bits;
  signs.arrived = 0.1;
  signs.distance = 0.05;
  signs.loss = loss;
  return signs;
}

/// The changes of `many` exchanges.
std::vector<StreamChange> walk(StreamRule& rule, const Link& link, int many, double loss = 1) {
  std::vector<StreamChange> changes;
  for (int k = 0; k < many; ++k) {
    if (const auto change = rule.see(signs_of(rule.pace(), link, loss))) changes.push_back(*change);
  }
  return changes;
}

const StreamPace kStart{1, 1, 0.156};

TEST(StreamRule, LeavesAPaceThatHidesAndLearns) {
  StreamRule rule(kStart, 0.156);
  EXPECT_TRUE(walk(rule, {0.95}, 200).empty());
  EXPECT_TRUE(walk(rule, {0.3}, 200).empty()) << "no more bits than the most";
}

TEST(StreamRule, GivesUpAtOnceOnlyTheBitsThatTeachNothing) {
  StreamRule rule(kStart, 0.156);
  const auto slower = walk(rule, {1.2}, 60);
  ASSERT_EQ(slower.size(), 1U);
  EXPECT_EQ(slower[0].reason, StreamReason::link_slower);
  EXPECT_EQ(slower[0].to.period, 1);
  EXPECT_DOUBLE_EQ(slower[0].to.bits, 0.145);
  EXPECT_NEAR(slower[0].signs.exchange_seconds, 0.3, 1e-9);
  EXPECT_TRUE(walk(rule, {1.6}, 100).empty()) << "0.145 bits take 1.49 of computing: less than what learning is worth";
}

TEST(StreamRule, WaitsForASlowLinkRatherThanSendingFewerBitsThanAreEnough) {
  StreamRule rule(kStart, 0.156);
  const auto slower = walk(rule, {14}, 200);
  ASSERT_EQ(slower.size(), 1U);
  EXPECT_EQ(slower[0].to.text(), "local:1,stream=0.145,overlap=1");
  const auto faster = walk(rule, {0.7}, 200);
  ASSERT_EQ(faster.size(), 1U);
  EXPECT_EQ(faster[0].reason, StreamReason::link_faster);
  EXPECT_EQ(rule.pace().text(), kStart.text());
}

TEST(StreamRule, ReturnsToWhatItBeganWithWhereThatIsLess) {
  const StreamPace start{4, 4, 0.05};
  StreamRule rule(start, 0.156);
  const auto faster = walk(rule, {0.7}, 200);
  ASSERT_FALSE(faster.empty());
  for (const auto& change : faster) EXPECT_EQ(change.reason, StreamReason::link_faster);
  EXPECT_EQ(rule.pace().text(), kStart.text());
  // 0.07 bits at a period of one take 1.35 of computing.
  walk(rule, {3}, 60);
  EXPECT_EQ(rule.pace().period, 1);
  EXPECT_LT(rule.pace().bits, 0.145);
  EXPECT_LE(3 * rule.pace().bits / 0.156, 1.35);
  walk(rule, {1000}, 200);
  EXPECT_EQ(rule.pace().text(), start.text());
  EXPECT_TRUE(walk(rule, {1000}, 200).empty());
}

TEST(StreamRule, FollowsALinkThatIsMuchSlowerAfterThreeExchanges) {
  StreamRule rule(kStart, 0.156);
  EXPECT_TRUE(walk(rule, {0.8}, 5).empty());
  EXPECT_TRUE(walk(rule, {5}, 2).empty());
  EXPECT_EQ(walk(rule, {5}, 1).size(), 1U);
}

TEST(StreamRule, SendsMoreWhereLittleArrivesTheRanksAreFarApartOrTheLossRises) {
  for (const StreamReason reason : {StreamReason::little_arrives, StreamReason::far_apart, StreamReason::loss_rises}) {
    StreamRule rule({4, 4, 0.05}, 0.156);
    std::vector<StreamChange> changes;
    for (int k = 0; k < 32; ++k) {
      StreamSigns signs = signs_of(rule.pace(), {9}, reason == StreamReason::loss_rises && k >= 8 ? 1.5 : 1);
      if (reason == StreamReason::little_arrives) signs.arrived = 0.004;
      if (reason == StreamReason::far_apart) signs.distance = 0.7;
      if (const auto change = rule.see(signs)) changes.push_back(*change);
      if (!changes.empty()) break;
    }
    ASSERT_EQ(changes.size(), 1U) << name_of(reason);
    EXPECT_EQ(changes[0].reason, reason) << name_of(changes[0].reason);
    EXPECT_EQ(changes[0].to.period, 2);
  }
}

TEST(StreamRule, PaysNoMoreForWhatIsLearnedThanFourTimesTheBitsOrHalfAStep) {
  StreamRule rule(kStart, 0.156);
  const auto starved = [&](double share) {
    for (int k = 0; k < 400; ++k) {
      StreamSigns signs = signs_of(rule.pace(), {share});
      signs.arrived = 0.004;
      rule.see(signs);
    }
    return rule.pace().bits;
  };
  const double dear = starved(1);
  EXPECT_GT(dear, 0.156);
  EXPECT_LE(dear, 0.156 * 1.5);
  EXPECT_DOUBLE_EQ(starved(0.1), 4 * 0.156);
}

/// `many` losses of a step of small batches: mean 0.6 or `later`, from the middle on.
std::vector<double> noisy_losses(int many, int images, double later) {
  std::mt19937 random(7);
  std::vector<double> losses;
  for (int k = 0; k < many; ++k) {
    double sum = 0;
    // Of one image a loss of half the time 0: as skewed as real ones.
    for (int i = 0; i < images; ++i) sum += random() % 2 == 0 ? 0 : -std::log((static_cast<double>(random() % 100000) + 1) / 100001);
    losses.push_back(sum / images * (k < many / 2 ? 0.6 : later) / 0.5);
  }
  return losses;
}

TEST(StreamRule, TakesTheNoiseOfSmallBatchesForNoRise) {
  for (const int images : {12, 24, 96}) {
    StreamRule rule(kStart, 0.156);
    for (const double loss : noisy_losses(3000, images, 0.6)) EXPECT_FALSE(rule.see(signs_of(rule.pace(), {0.35}, loss))) << images;
  }
}

TEST(StreamRule, SeesARiseAmongTheNoiseOfSmallBatches) {
  for (const int images : {12, 24, 96}) {
    StreamRule rule(kStart, 0.156);
    std::vector<StreamChange> changes;
    for (const double loss : noisy_losses(800, images, 2.4)) {
      if (const auto change = rule.see(signs_of(rule.pace(), {0.35}, loss))) changes.push_back(*change);
    }
    ASSERT_FALSE(changes.empty()) << images;
    EXPECT_EQ(changes[0].reason, StreamReason::loss_rises) << images;
  }
}

TEST(StreamRule, SendsNoMoreThanAMessageMayHave) {
  StreamRule rule({1, 1, 4}, 4);
  for (int k = 0; k < 100; ++k) rule.see(signs_of(rule.pace(), {0.1}, k));
  EXPECT_LE(rule.pace().bits, kMaxStreamBits);
  EXPECT_NO_THROW(checked_pace(rule.pace().period, rule.pace().overlap, rule.pace().bits));
}

TEST(StreamRule, GoesOnAtThePaceThatTheRanksHave) {
  StreamRule rule(kStart, 0.156);
  EXPECT_FALSE(rule.go_on_at(kStart));
  const StreamPace other{2, 2, 0.05};
  EXPECT_TRUE(rule.go_on_at(other));
  const auto faster = walk(rule, {0.5}, 60);
  ASSERT_FALSE(faster.empty());
  EXPECT_EQ(faster[0].to.period, 1);
}

TEST(StreamRule, HasNoLongerPeriodThanItBeganWithAlsoFromASavedState) {
  StreamRule slow({16, 16, 0.05}, 0.156);
  StreamRule resumed({4, 4, 0.05}, 0.156);
  resumed.load_state(slow.state().data());
  EXPECT_EQ(resumed.pace().period, 4);
  EXPECT_EQ(resumed.pace().overlap, 4);
}

TEST(StreamRule, FollowsALinkThatIsTooSlowThoughLittleArrives) {
  StreamRule rule(kStart, 0.156);
  StreamSigns signs = signs_of(kStart, {1.8});
  signs.arrived = 0.004;
  std::optional<StreamChange> change;
  for (size_t k = 0; k < StreamRule::kWindow; ++k) change = rule.see(signs);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->reason, StreamReason::link_slower);
}

TEST(StreamRule, TakesWhatIsUnknownForNothing) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  StreamRule rule(kStart, 0.156);
  for (int k = 0; k < 100; ++k) EXPECT_FALSE(rule.see({none, none, none, none, none}));
  EXPECT_FALSE(rule.see({INFINITY, 0, -1, INFINITY, INFINITY}));
}

TEST(StreamRule, ContinuesFromItsStateAndRefusesNumbersThatAreNone) {
  for (int before = 0; before < 30; ++before) {
    StreamRule whole(kStart, 0.156);
    for (int k = 0; k < before; ++k) whole.see(signs_of(whole.pace(), {k < 11 ? 3.0 : 0.2}, k));
    StreamRule resumed(kStart, 0.156);
    resumed.load_state(whole.state().data());
    for (int k = 0; k < 40; ++k) {
      const auto one = whole.see(signs_of(whole.pace(), {0.2}, k));
      const auto two = resumed.see(signs_of(resumed.pace(), {0.2}, k));
      ASSERT_EQ(one.has_value(), two.has_value()) << before << " and " << k;
      EXPECT_EQ(whole.pace().text(), resumed.pace().text());
    }
  }
  StreamRule rule(kStart, 0.156);
  for (size_t at : {0U, 1U, 2U, 3U, 5U, 6U}) {
    for (const double wrong : {-1.0, 1e9, static_cast<double>(NAN)}) {
      auto numbers = rule.state();
      numbers[at] = wrong;
      EXPECT_THROW(rule.load_state(numbers.data()), std::runtime_error) << at << " " << wrong;
    }
  }
}

TEST(StreamWatch, GivesAllRanksRankZerosDecision) {
  std::vector<StreamChange> changes;
  StreamWatch watch(kStart, 0.156, [&](const StreamPace& from, const StreamChange& change) {
    EXPECT_EQ(from.text(), "local:1,stream=0.156,overlap=1");
    changes.push_back(change);
  });
  const int64_t bytes = 10 + watch.note_bytes();
  std::vector<uint8_t> own(static_cast<size_t>(bytes));
  std::vector<uint8_t> mean(static_cast<size_t>(bytes), 7);
  std::optional<StreamPace> pace;
  for (int k = 0; k < 3; ++k) {
    EXPECT_FALSE(pace);
    watch.saw_exchange(2, 0.25);
    watch.sign(own.data(), bytes, 4, 1, 4);
    watch.judge({own.data(), own.data()}, bytes);
    watch.announce(mean.data(), bytes);
    pace = watch.follow(kStart, mean.data(), bytes);
  }
  ASSERT_TRUE(pace);
  EXPECT_LT(pace->bits, 0.156);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].signs.arrived, 0.25);
  EXPECT_EQ(changes[0].signs.distance, 1);
  EXPECT_EQ(mean[9], 7) << "what stands before the note";
  // A peer's bytes: an error or no change, never a pace outside the limits.
  std::fill(mean.begin(), mean.end(), 0xFF);
  EXPECT_FALSE(watch.follow(kStart, mean.data(), bytes));
  const double wrong[] = {1e12, 1, 0.1, 1};
  std::memcpy(mean.data() + 10 + sizeof(double) * 5, wrong, sizeof wrong);
  EXPECT_THROW(watch.follow(kStart, mean.data(), bytes), std::runtime_error);
  EXPECT_EQ(StreamWatch(kStart, 0, {}).note_bytes(), 0);
}

}  // namespace
}  // namespace ringlab
