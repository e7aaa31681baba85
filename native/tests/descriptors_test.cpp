// The limit of a process's file descriptors.
#include "comm/transport/descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "comm/transport/net.h"
#include "tests/run_store.h"

namespace ringlab {
namespace {

/// Changes the soft limit while it exists. The hard one stays: only root could raise it again.
class SoftLimit {
 public:
  explicit SoftLimit(rlim_t descriptors) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit{descriptors, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~SoftLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  SoftLimit(const SoftLimit&) = delete;
  SoftLimit& operator=(const SoftLimit&) = delete;
  rlim_t hard() const { return before_.rlim_max; }

 private:
  rlimit before_{};
};

TEST(Descriptors, AStoreTakesMoreConnectionsThanTheSoftLimitAllowed) {
  constexpr size_t kConnections = 200;
  const SoftLimit few(100);
  if (few.hard() < 1024) GTEST_SKIP() << "the hard limit is " << few.hard();
  make_room_for_descriptors(2 * kConnections, "rank 0");
  Store store;
  std::vector<std::unique_ptr<StoreClient>> ranks;
  for (size_t rank = 0; rank < kConnections; ++rank) {
    ranks.push_back(store.connect());
    EXPECT_EQ(ranks.back()->add("ranks", 1), static_cast<int64_t>(rank) + 1);
  }
}

TEST(Descriptors, AHardLimitThatIsTooLowIsNamed) {
  const SoftLimit unchanged(100);
  try {
    make_room_for_descriptors(unchanged.hard(), "rank 0 of 600");
    FAIL() << "more than the hard limit";
  } catch (const Failure& failure) {
    const std::string what = failure.what();
    EXPECT_NE(what.find("Too many open files: rank 0 of 600 needs "), std::string::npos) << what;
    EXPECT_NE(what.find("the limit of this process is " + std::to_string(unchanged.hard())), std::string::npos) << what;
    EXPECT_NE(failure.hint().find("ulimit -Hn"), std::string::npos);
  }
}

TEST(Descriptors, AHigherSoftLimitIsNotLowered) {
  const SoftLimit unchanged(100);
  const rlimit whole{unchanged.hard(), unchanged.hard()};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &whole), 0);
  make_room_for_descriptors(1, "rank 0");
  rlimit now{};
  getrlimit(RLIMIT_NOFILE, &now);
  EXPECT_EQ(now.rlim_cur, unchanged.hard());
}

}  // namespace
}  // namespace ringlab
