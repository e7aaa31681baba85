// What is left of an epoch, when ranks were lost: every image comes once.
#include "data/loading/deal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "data/loading/sampler.h"

namespace ringlab {
namespace {

std::vector<int64_t> identity(int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

TEST(Deal, TheFirstOneIsTheSampler) {
  for (const int64_t count : {1, 7, 9, 100}) {
    for (const int ranks : {1, 2, 3, 8}) {
      const auto order = torch_randperm(count, 5);
      for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(dealt_images({}, order, rank, ranks), training_indices(count, rank, ranks, 5, 0)) << count << " for " << ranks;
    }
  }
}

/// Deals an epoch to 5, then to fewer and fewer ranks, of which each has had some of its images; returns how often each image is in the model.
std::map<int64_t, int64_t> dealt_epoch(int64_t images, const std::vector<std::vector<int64_t>>& had, int64_t last_ranks, int64_t& repeated) {
  const auto order = identity(images);
  std::map<int64_t, int64_t> seen;
  Deal deal;
  int64_t batches = 0;
  repeated = 0;
  const auto take = [&](int64_t rank, int64_t ranks, int64_t count) {
    const auto own = dealt_images(deal, order, rank, ranks);
    for (int64_t i = 0; i < count; ++i) ++seen[own[static_cast<size_t>(i)]];
  };
  for (const auto& counted : had) {
    const auto ranks = static_cast<int64_t>(counted.size());
    const int64_t each = dealt_to_each(deal, images, ranks);
    std::vector<int64_t> capped;
    for (const int64_t one : counted) capped.push_back(std::min(one, each));
    for (int64_t rank = 0; rank < ranks; ++rank) take(rank, ranks, capped[static_cast<size_t>(rank)]);
    deal = next_deal(deal, images, capped, ++batches);
    EXPECT_EQ(deal.batches, batches);
  }
  const int64_t each = dealt_to_each(deal, images, last_ranks);
  EXPECT_EQ(images_in_model(deal, images, last_ranks, each), images);
  for (int64_t rank = 0; rank < last_ranks; ++rank) take(rank, last_ranks, each);
  for (const auto& [image, times] : seen) repeated += times - 1;
  return seen;
}

TEST(Deal, EveryImageComesOnceHoweverManyRanksAreLost) {
  const std::vector<std::vector<std::vector<int64_t>>> histories = {
      {{8, 8, 8, 8, 8}},                            // averaged gradients: all stand at one step
      {{8, 8, 4, 8, 8}},                            // local steps: a lost rank's newest are not in the model
      {{8, 0, 8, 7, 8}, {4, 4, 0}},                 // twice, of which the second before what was dealt again is through
      {{1, 1, 1, 1, 1}, {0, 0, 0, 0}, {2, 2, 0}},   // a loss before the first step of a deal
      {{100, 100, 100, 0, 100}, {100, 100}},        // at the epoch's end
  };
  for (const int64_t images : {41, 60, 97}) {
    for (const auto& history : histories) {
      int64_t repeated = 0;
      const auto seen = dealt_epoch(images, history, 2, repeated);
      EXPECT_EQ(static_cast<int64_t>(seen.size()), images);
      // Only what fills up a last round.
      EXPECT_LE(repeated, 4 + 3 * static_cast<int64_t>(history.size()));
    }
  }
}

TEST(Deal, CountsWhatIsInTheModel) {
  // 3 ranks have had 4 images each, of which one rank's last 2 are lost.
  const Deal deal = next_deal({}, 30, {4, 2, 4}, 2);
  EXPECT_EQ(deal.taken, 12);
  EXPECT_EQ(deal.again, (std::vector<int64_t>{7, 10}));
  EXPECT_EQ(dealt_to_each(deal, 30, 2), 10);
  EXPECT_EQ(images_in_model(deal, 30, 2, 0), 10);
  EXPECT_EQ(images_in_model(deal, 30, 2, 3), 16);
  EXPECT_EQ(images_in_model(deal, 30, 2, 10), 30);
}

TEST(Deal, ARankThatIsLostSoonAfterAnotherTakesWhatItHasNotSentWithIt) {
  // Three ranks have had 4 images each, of which 2 were sent; rank 0 is lost. Its last two come again.
  const Deal first = next_deal({}, 30, {2, 4, 4}, 2, {1, 2}, {2, true});
  EXPECT_EQ(first.again, (std::vector<int64_t>{6, 9}));
  EXPECT_EQ(first.unsent, (std::vector<std::vector<int64_t>>{{7, 10}, {8, 11}}));
  // The next one is lost before any exchange: with what it had then, and since.
  const Deal second = next_deal(first, 30, {0, 1}, 3, {1}, {0, false});
  EXPECT_EQ(second.again, (std::vector<int64_t>{6, 7, 10}));
  EXPECT_EQ(second.unsent, (std::vector<std::vector<int64_t>>{{8, 11, 9}}));
  EXPECT_EQ(images_in_model(second, 30, 1, dealt_to_each(second, 30, 1)), 30);
  // After an exchange only what came since.
  const Deal later = next_deal(first, 30, {1, 2}, 3, {1}, {1, true});
  EXPECT_EQ(later.again, (std::vector<int64_t>{12}));
  EXPECT_EQ(later.unsent, (std::vector<std::vector<int64_t>>{{13}}));
}

TEST(Deal, FillsUpWhatIsLessThanHalfAStepWithOtherImages) {
  // Two ranks are to train on what is left, 4 images, in steps of 10 images of each.
  Deal deal = next_deal({}, 30, {9, 8, 9}, 1);
  EXPECT_EQ(deal.again, (std::vector<int64_t>{25}));
  EXPECT_EQ(dealt_to_each(deal, 30, 2), 2);
  deal.evened = 10;
  EXPECT_EQ(dealt_to_each(deal, 30, 2), 5);
  EXPECT_EQ(dealt_images(deal, identity(30), 0, 2), (std::vector<int64_t>{25, 28, 0, 2, 4}));
  EXPECT_EQ(dealt_images(deal, identity(30), 1, 2), (std::vector<int64_t>{27, 29, 1, 3, 5}));
  EXPECT_EQ(images_in_model(deal, 30, 2, 5), 30);
  // Those that are lost with a rank are dealt again only where they were left.
  EXPECT_EQ(next_deal(deal, 30, {5, 0}, 2).again, (std::vector<int64_t>{27, 29}));
  // Not more than there are.
  deal.evened = 1000;
  EXPECT_EQ(dealt_to_each(deal, 30, 2), 15);
  EXPECT_EQ(images_in_model(deal, 30, 2, 15), 30);
  deal = next_deal({}, 6, {2, 2, 2}, 1);
  deal.evened = 10;
  EXPECT_EQ(dealt_to_each(deal, 6, 2), 0) << "nothing is left";
}

TEST(Deal, MayHaveNothingLeft) {
  const Deal deal = next_deal({}, 6, {2, 2, 2}, 1);
  EXPECT_EQ(dealt_to_each(deal, 6, 2), 0);
  EXPECT_TRUE(dealt_images(deal, identity(6), 0, 2).empty());
  EXPECT_EQ(images_in_model(deal, 6, 2, 0), 6);
}

}  // namespace
}  // namespace ringlab
