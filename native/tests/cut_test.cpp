// How images are cut into steps and batches.
#include "data/loading/cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace ringlab {
namespace {

/// For each step the images of its batches.
using Steps = std::vector<std::vector<int64_t>>;

Steps steps_of(const Cut& cut) {
  Steps steps;
  for (int64_t step = 0; step < cut.steps(); ++step) {
    auto& sizes = steps.emplace_back();
    for (int64_t batch = cut.first_batch(step); batch < cut.first_batch(step + 1); ++batch) sizes.push_back(cut.begin(batch + 1) - cut.begin(batch));
  }
  return steps;
}

TEST(StepSize, OfFewerRanksThatKeepTheGlobalBatch) {
  const auto sizes = [](int64_t global, int64_t ranks, int64_t max_batch) {
    const StepSize step = shared_step(global, ranks, max_batch);
    return std::vector<int64_t>{step.batch_size, step.accumulate};
  };
  EXPECT_EQ(sizes(128, 4, 32), (std::vector<int64_t>{32, 1})) << "all are there";
  EXPECT_EQ(sizes(128, 2, 32), (std::vector<int64_t>{32, 2}));
  EXPECT_EQ(sizes(128, 3, 32), (std::vector<int64_t>{21, 2}));
  EXPECT_EQ(sizes(128, 1, 32), (std::vector<int64_t>{32, 4}));
  EXPECT_EQ(sizes(256, 3, 32), (std::vector<int64_t>{28, 3})) << "four ranks with two batches each";
  EXPECT_EQ(sizes(2, 1, 1), (std::vector<int64_t>{1, 2}));
  for (int64_t batch = 1; batch <= 40; ++batch) {
    for (int64_t accumulate = 1; accumulate <= 3; ++accumulate) {
      for (int64_t all = 2; all <= 9; ++all) {
        for (int64_t left = 1; left < all; ++left) {
          const int64_t global = batch * accumulate * all;
          const StepSize step = shared_step(global, left, batch);
          ASSERT_LE(step.batch_size, batch) << "it fits into memory";
          ASSERT_GE(2 * step.batch_size, batch) << "of " << batch << ", " << accumulate << ", " << left << " of " << all;
          ASSERT_LE(2 * std::abs(step.images() * left - global), step.accumulate * left);
        }
      }
    }
  }
}

TEST(Cut, WholeBatchesAndOneOfWhatRemains) {
  EXPECT_EQ(steps_of(cut_plain(10, 4)), (Steps{{4}, {4}, {2}}));
  EXPECT_EQ(steps_of(cut_plain(8, 4)), (Steps{{4}, {4}}));
  EXPECT_EQ(steps_of(cut_plain(3, 4)), (Steps{{3}}));
  EXPECT_EQ(steps_of(cut_plain(0, 4)), Steps{});
  EXPECT_EQ(steps_of(cut_plain(22, 4, 2)), (Steps{{4, 4}, {4, 4}, {4, 2}}));
  EXPECT_EQ(steps_of(cut_plain(17, 4, 2)), (Steps{{4, 4}, {4, 4}, {1}}));
}

TEST(Cut, OmitsALastBatchOfOneImageThatCannotBeTrainedOn) {
  EXPECT_EQ(steps_of(cut_for_training(9, 4, 1, 1)), (Steps{{4}, {4}}));
  EXPECT_EQ(steps_of(cut_for_training(13, 4, 2, 1)), (Steps{{4, 4}, {4}}));
  EXPECT_EQ(steps_of(cut_for_training(9, 4, 1, 0)), (Steps{{4}, {4}, {1}}));
  EXPECT_EQ(steps_of(cut_for_training(1, 4, 1, 1)), (Steps{{1}})) << "there is no other";
  EXPECT_EQ(steps_of(cut_for_training(3, 1, 1, 1)), (Steps{{1}, {1}, {1}}));
}

TEST(Cut, LeavesNoReplicaOneImageAlone) {
  EXPECT_EQ(steps_of(cut_for_training(19, 16, 1, 2)), (Steps{{16}})) << "2 and 1, or 1 and 1";
  EXPECT_EQ(steps_of(cut_for_training(20, 16, 1, 2)), (Steps{{16}, {4}}));
  EXPECT_EQ(steps_of(cut_for_training(23, 16, 1, 3)), (Steps{{16}, {6}})) << "3, 3 and 1";
  EXPECT_EQ(steps_of(cut_for_training(20, 16, 1, 3)), (Steps{{16}, {4}})) << "2 and 2: the third has none";
  EXPECT_EQ(steps_of(cut_for_training(39, 8, 2, 4)), (Steps{{8, 8}, {8, 8}, {6}})) << "2, 2 and 2";
  EXPECT_EQ(steps_of(cut_for_training(23, 16, 1, 0)), (Steps{{16}, {7}}));
}

TEST(Cut, EvenlyTheLastTwoStepsShareWhatRemains) {
  EXPECT_EQ(steps_of(cut_evenly(98, 32, 1)), (Steps{{32}, {32}, {17}, {17}}));
  EXPECT_EQ(steps_of(cut_evenly(33, 32, 1)), (Steps{{17}, {16}}));
  EXPECT_EQ(steps_of(cut_evenly(32, 32, 1)), (Steps{{32}}));
  EXPECT_EQ(steps_of(cut_evenly(5, 32, 1)), (Steps{{5}}));
  EXPECT_EQ(steps_of(cut_evenly(0, 32, 1)), Steps{});
  EXPECT_EQ(steps_of(cut_evenly(130, 32, 2)), (Steps{{32, 32}, {17, 16}, {17, 16}}));
  EXPECT_EQ(steps_of(cut_evenly(66, 32, 2)), (Steps{{17, 16}, {17, 16}})) << "batches are equal, too";
}

TEST(Cut, EvenlyLosesNoImageAndHasNoSmallStepOrBatch) {
  for (int64_t batch = 3; batch <= 9; ++batch) {
    for (int64_t accumulate = 1; accumulate <= 3; ++accumulate) {
      const int64_t step = batch * accumulate;
      for (int64_t images = step; images <= 5 * step; ++images) {
        const Cut cut = cut_evenly(images, batch, accumulate);
        const auto steps = steps_of(cut);
        EXPECT_EQ(static_cast<int64_t>(steps.size()), (images + step - 1) / step);
        EXPECT_EQ(cut.images(cut.steps() + 1), images);
        for (int64_t i = 0; i < cut.steps(); ++i) {
          EXPECT_GE(2 * (cut.images(i + 1) - cut.images(i)), step) << images << " in " << accumulate << " of " << batch;
          for (const int64_t size : steps[static_cast<size_t>(i)]) EXPECT_GE(size, 2) << images << " in " << accumulate << " of " << batch;
        }
        // A resume knows the images of a step only.
        for (int64_t i = 0; i <= cut.steps(); ++i) EXPECT_EQ(cut_evenly(images, step, 1).images(i), cut.images(i));
      }
    }
  }
}

}  // namespace
}  // namespace ringlab
