// From where the ranks that are left go on.
#include "train/members/survivors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/error.h"

namespace ringlab {
namespace {

TEST(Survivors, StandsAreNotes) {
  const Stand stand{3, 14, 159, 26, 150};
  const Stand read = stand_of(note_of(stand));
  EXPECT_EQ(read.epoch, 3);
  EXPECT_EQ(read.batch, 14);
  EXPECT_EQ(read.step, 159);
  EXPECT_EQ(read.landed, 26);
  EXPECT_EQ(read.landed_step, 150);
  for (const char* bad : {"", "1 2 3", "1 2 3 4 x", "1 -2 3 4 5"}) EXPECT_THROW(stand_of(bad), Failure) << bad;
}

TEST(Survivors, AveragedGradientsCountTheLastStepOfAnyRank) {
  // Ranks 0 and 3 of four are left; rank 3 has completed step 7, whose images of all ranks are in its weights.
  const Boundary boundary = boundary_of({{2, 7, 27, 0, 0}, {2, 8, 28, 0, 0}}, {0, 3}, 4, 5, false);
  EXPECT_EQ(boundary.epoch, 2);
  EXPECT_EQ(boundary.batch, 8);
  EXPECT_EQ(boundary.step, 28);
  EXPECT_EQ(boundary.root, 1);
  EXPECT_EQ(boundary.behind, (std::vector<bool>{true, false}));
  EXPECT_EQ(boundary.counted, (std::vector<int64_t>{3, 3, 3, 3}));
}

TEST(Survivors, LocalStepsOfALostRankCountUpToTheLastExchange) {
  // Step 28 of the run is the epoch's 8th; what was sent before step 26 counts.
  const Boundary boundary = boundary_of({{2, 8, 28, 4, 26}, {2, 7, 27, 3, 22}}, {0, 2}, 3, 0, true);
  EXPECT_EQ(boundary.root, 0);
  EXPECT_EQ(boundary.behind, (std::vector<bool>{false, true}));
  EXPECT_EQ(boundary.counted, (std::vector<int64_t>{8, 6, 7}));
  EXPECT_EQ(boundary.sent, 6);
  EXPECT_TRUE(boundary.any_sent);
  EXPECT_FALSE(boundary_of({{2, 8, 28, 0, 0}}, {0}, 2, 0, true).any_sent);
}

TEST(Survivors, NothingOfThisEpochCountsBeforeItsFirstExchange) {
  EXPECT_EQ(boundary_of({{2, 3, 23, 2, 19}}, {1}, 2, 0, true).counted, (std::vector<int64_t>{0, 3}));
}

TEST(Survivors, ARankThatBeganTheNextEpochGoesBack) {
  const Boundary boundary = boundary_of({{3, 0, 30, 0, 0}, {2, 10, 30, 0, 0}}, {0, 1}, 3, 0, false);
  EXPECT_EQ(boundary.epoch, 2);
  EXPECT_EQ(boundary.batch, 10);
  EXPECT_EQ(boundary.behind, (std::vector<bool>{false, false}));
}

TEST(Survivors, RanksThatAreFartherApartDoNotGoOn) {
  EXPECT_THROW(boundary_of({{2, 5, 25, 0, 0}, {2, 7, 27, 0, 0}}, {0, 1}, 3, 0, false), Failure);
  EXPECT_THROW(boundary_of({{2, 5, 25, 1, 0}, {2, 5, 25, 3, 0}}, {0, 1}, 3, 0, true), Failure);
  EXPECT_THROW(boundary_of({{4, 0, 40, 0, 0}, {2, 10, 30, 0, 0}}, {0, 1}, 3, 0, false), Failure);
}

}  // namespace
}  // namespace ringlab
