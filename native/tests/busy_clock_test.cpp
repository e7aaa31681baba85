// The clock that runs while at least one exchange is under way.
#include "comm/collectives/busy_clock.h"

#include <gtest/gtest.h>

namespace ringlab {
namespace {

TEST(BusyClock, CountsTimeInWhichSeveralThingsAreUnderWayOnce) {
  BusyClock clock;
  EXPECT_EQ(clock.seconds(10), 0);
  clock.begin(10);
  EXPECT_EQ(clock.seconds(11), 1);
  clock.begin(12);
  clock.end(13);  // one is still active
  EXPECT_EQ(clock.seconds(14), 4);
  clock.end(15);
  EXPECT_EQ(clock.seconds(20), 5) << "nothing since 15";
  clock.begin(30);
  clock.end(31);
  EXPECT_EQ(clock.seconds(40), 6);
}

}  // namespace
}  // namespace ringlab
