// From where the ranks that are left go on.
#include "train/members/survivors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace ringlab {
namespace {

TEST(Survivors, StandsAreNotes) {
  const Standing read = standing_of(note_of({2, {3, 14, 159, 26, 150}, 4, {3, 15, 160, 0, 0}}));
  EXPECT_EQ(read.generation, 2);
  EXPECT_EQ(read.stand.epoch, 3);
  EXPECT_EQ(read.stand.batch, 14);
  EXPECT_EQ(read.stand.step, 159);
  EXPECT_EQ(read.stand.landed, 26);
  EXPECT_EQ(read.stand.landed_step, 150);
  EXPECT_EQ(read.next_generation, 4);
  EXPECT_EQ(read.next.batch, 15);
  for (const char* bad : {"", "1 2 3", "0 1 2 3 4 x 0 0 0 0 0 0", "0 1 -2 3 4 5 0 0 0 0 0 0", "-1 1 2 3 4 5 0 0 0 0 0 0", "3 1 2 3 4 5 3 0 0 0 0 0", "0 1 2 3 4 5"}) {
    EXPECT_THROW(standing_of(bad), Failure) << bad;
  }
}

TEST(Survivors, TheLatestMembersThatAnyRankTrainsWithCount) {
  // A second rank was lost while four of five received what they go on with: one of the three that are left trains already, another has received all.
  const std::string trains = note_of({1, {2, 8, 28, 0, 0}, 0, {}});
  const std::string received = note_of({0, {2, 6, 26, 0, 0}, 1, {2, 7, 27, 0, 0}});
  const std::string receives = note_of({0, {2, 7, 27, 0, 0}, 0, {}});
  const AgreedStands agreed = agreed_stands({received, trains, received});
  EXPECT_EQ(agreed.generation, 1);
  EXPECT_EQ(agreed.stands[0].batch, 7);
  EXPECT_EQ(agreed.stands[1].batch, 8);
  // None of them trains: all begin where they stood.
  const AgreedStands before = agreed_stands({received, receives});
  EXPECT_EQ(before.generation, 0);
  EXPECT_EQ(before.stands[0].batch, 6);
  EXPECT_EQ(before.stands[1].batch, 7);
  EXPECT_THROW(agreed_stands({trains, receives}), Failure);
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
