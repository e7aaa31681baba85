// Command lines of the commands other than training.
#include "base/arguments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "base/error.h"

namespace ringlab {
namespace {

struct Given {
  int edge = 256;
  double seconds = 2;
  uint64_t seed = 1;
  std::string out;
  bool hard = false;
  std::vector<std::string> folders;
};

Given parsed(const std::vector<std::string>& arguments) {
  Given given;
  parse_arguments("pack", arguments,
                  {number_row("--edge", given.edge, 16, 8192), number_row("--seconds", given.seconds, 0.05, 3600, " seconds"), number_row("--seed", given.seed, 0, INT64_MAX),
                   text_row("--out", given.out), switch_row("--hard", given.hard)},
                  [&](const std::string& folder) { given.folders.push_back(folder); });
  return given;
}

std::string complaint(const std::vector<std::string>& arguments) {
  try {
    parsed(arguments);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::usage);
    return failure.what();
  }
  return "";
}

TEST(Arguments, TakeValuesBehindAndInside) {
  const Given given = parsed({"a", "--edge", "16", "--seconds=0.5", "--out", "", "--hard", "-b", "--seed", "9223372036854775807"});
  EXPECT_EQ(given.edge, 16);
  EXPECT_EQ(given.seconds, 0.5);
  EXPECT_EQ(given.seed, uint64_t{INT64_MAX});
  EXPECT_EQ(given.out, "");
  EXPECT_TRUE(given.hard);
  EXPECT_EQ(given.folders, (std::vector<std::string>{"a", "-b"}));
  EXPECT_EQ(parsed({"--out=a=b"}).out, "a=b");
}

TEST(Arguments, ComplainInOneLine) {
  EXPECT_EQ(complaint({"--egde", "16"}), "pack: --egde: unknown option; nearest: --edge, --seed, --out");
  EXPECT_EQ(complaint({"--edge"}), "pack: --edge: its value is missing");
  EXPECT_EQ(complaint({"--hard=yes"}), "pack: --hard takes no value");
  for (const std::string value : {"15", "8193", "16.0", "16 ", "", "0x20", "99999999999"}) EXPECT_EQ(complaint({"--edge", value}), "pack: --edge " + value + ": valid: 16 to 8192");
  for (const std::string value : {"nan", "inf", "0.04", "-1", "1e9"}) EXPECT_EQ(complaint({"--seconds=" + value}), "pack: --seconds " + value + ": valid: 0.05 to 3600 seconds");
  for (const std::string value : {"-1", "9223372036854775808", "18446744073709551616"}) EXPECT_EQ(complaint({"--seed", value}), "pack: --seed " + value + ": valid: 0 to 9223372036854775807");
}

TEST(Arguments, WithoutAPlaceForThemPositionalOnesAreUnknown) {
  EXPECT_THROW(parse_arguments("facts", {"x"}, {}), Failure);
}

}  // namespace
}  // namespace ringlab
