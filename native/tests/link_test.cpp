// The delay, jitter and loss of an emulated link with made times; which tables of links are understood.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "link/delay_line.h"
#include "link/link_table.h"

namespace ringlab {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

/// When each of so many frames leaves that come a millisecond after one another.
std::vector<int64_t> leave(DelayLine& line, int many) {
  std::vector<int64_t> times;
  for (int k = 0; k < many; ++k) {
    const std::string frame = std::to_string(k);
    line.push(k * kMillisecond, frame.data(), frame.size());
  }
  int64_t before = -1;
  while (line.due()) {
    times.push_back(*line.due());
    const int64_t number = std::stoll(line.front());
    EXPECT_GT(number, before);
    before = number;
    line.pop();
  }
  return times;
}

TEST(DelayLine, delays_each_frame_by_the_same_without_jitter) {
  DelayLine line({20'000, 0, 0}, Stream{1});
  const auto times = leave(line, 100);
  ASSERT_EQ(times.size(), 100U);
  for (size_t k = 0; k < times.size(); ++k) EXPECT_EQ(times[k], static_cast<int64_t>(k + 20) * kMillisecond);
  EXPECT_FALSE(line.due());
}

TEST(DelayLine, jitter_stays_within_its_limits_and_keeps_the_order) {
  DelayLine line({20'000, 5'000, 0}, Stream{1});
  const auto times = leave(line, 1000);
  ASSERT_EQ(times.size(), 1000U);
  int64_t min_wait = INT64_MAX;
  int64_t max_wait = 0;
  for (size_t k = 0; k < times.size(); ++k) {
    const int64_t wait = times[k] - static_cast<int64_t>(k) * kMillisecond;
    min_wait = std::min(min_wait, wait);
    max_wait = std::max(max_wait, wait);
    EXPECT_GE(times[k], times[k - std::min<size_t>(k, 1)]);
  }
  EXPECT_GE(min_wait, 15 * kMillisecond);
  EXPECT_LE(max_wait, 25 * kMillisecond);
  EXPECT_GT(max_wait - min_wait, 3 * kMillisecond);
}

TEST(DelayLine, jitter_above_the_delay_never_sends_before_a_frame_came) {
  DelayLine line({1'000, 5'000, 0}, Stream{1});
  const auto times = leave(line, 200);
  for (size_t k = 0; k < times.size(); ++k) EXPECT_GE(times[k], static_cast<int64_t>(k) * kMillisecond);
}

TEST(DelayLine, loses_about_the_drawn_share) {
  DelayLine line({0, 0, 10}, Stream{1});
  const auto times = leave(line, 10'000);
  EXPECT_GT(times.size(), 8'800U);
  EXPECT_LT(times.size(), 9'200U);
  DelayLine all({0, 0, 100}, Stream{1});
  EXPECT_TRUE(leave(all, 100).empty());
}

TEST(DelayLine, a_new_delay_holds_for_new_frames_and_overtakes_nothing) {
  DelayLine line({50'000, 0, 0}, Stream{1});
  line.push(0, "a", 1);
  line.set({0, 0, 0});
  line.push(kMillisecond, "b", 1);
  EXPECT_EQ(line.due(), 50 * kMillisecond);
  line.pop();
  EXPECT_EQ(line.due(), 50 * kMillisecond);
  line.pop();
  line.push(60 * kMillisecond, "c", 1);
  EXPECT_EQ(line.due(), 60 * kMillisecond);
}

TEST(DelayLine, drops_what_does_not_fit) {
  DelayLine line({60'000'000, 0, 0}, Stream{1});
  const std::string frame(size_t{1} << 20, 'x');
  size_t taken = 0;
  while (line.push(0, frame.data(), frame.size())) ++taken;
  EXPECT_EQ(taken, DelayLine::kMaxBytes >> 20);
  line.pop();
  EXPECT_TRUE(line.push(0, frame.data(), frame.size()));
}

TEST(LinkTable, reads_rows) {
  const auto rows = read_link_table("rl1 ringlab-1f-a ringlab-1f-b 20000 500 0.5\n\nrl2 a b 0 0 100");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].device, "rl1");
  EXPECT_EQ(rows[0].namespaces[1], "ringlab-1f-b");
  EXPECT_EQ(rows[0].delay, (LinkDelay{20'000, 500, 0.5}));
  EXPECT_TRUE(read_link_table("").empty());
}

TEST(LinkTable, refuses_anything_else_with_its_line) {
  const char* const wrong[] = {
      "rl1 a b 1 2",         "rl1 a b 1 2 3 4",     "rl1 a b -1 0 0",       "rl1 a b 0 0 101",       "rl1 a b 0 0 nan",   "rl1 a b 60000001 0 0", "rl1 ../x b 0 0 0",
      "rl1 a a 0 0 0",       "rl/1 a b 0 0 0",      "a-device-too-long a b 0 0 0", "rl1  a b 0 0",    "rl1 a b 1.5 0 0",   "rl1 a b 0 0 0x1",      " rl1 a b 0 0 0",
  };
  for (const std::string line : wrong) {
    try {
      read_link_table("rl9 a b 0 0 0\n" + line);
      ADD_FAILURE() << line;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::usage);
      EXPECT_NE(std::string(failure.what()).find("line 2"), std::string::npos) << failure.what();
    }
  }
}

}  // namespace
}  // namespace ringlab
