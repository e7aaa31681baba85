// The constructors of c10d's Reducer, as torch/csrc/distributed/c10d/reducer.hpp of each version declares them: read from the wheels of 2.0 to 2.15.
#include "compat/c10d_version.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ringlab::compat {
namespace {

using Tensors = std::vector<at::Tensor>;
using Flags = std::vector<bool>;

struct Until23 {
  Until23(Tensors, Buckets, std::vector<size_t> limits, Group, Flags, int64_t, bool, bool views, Names, int64_t) : takes(limits.empty() ? "no limits" : "limits"), gives_views(views) {}
  std::string takes;
  bool gives_views;
};
struct Until26 {
  Until26(Tensors, Buckets, const std::vector<size_t>& limits, Group, Flags, int64_t, bool, bool views, Names, int64_t) : takes(limits.empty() ? "no limits" : "limits"), gives_views(views) {}
  std::string takes;
  bool gives_views;
};
struct In27 {
  In27(Tensors, Buckets, Group, Flags, int64_t, bool, bool views, Names, int64_t) : takes("no flags"), gives_views(views) {}
  std::string takes;
  bool gives_views;
};
struct Until210 {
  Until210(Tensors, Buckets, Group, Flags, int64_t, bool, bool views, Names, int64_t, bool skip, bool python) : takes(skip || python ? "set flags" : "two flags"), gives_views(views) {}
  std::string takes;
  bool gives_views;
};
struct In211 {
  In211(Tensors, Buckets, Group, Flags, int64_t, bool, bool views, Names, int64_t, bool, bool, std::vector<int64_t> caps) : takes(caps.empty() ? "caps" : "set caps"), gives_views(views) {}
  std::string takes;
  bool gives_views;
};
struct Until214 {
  Until214(Tensors, Buckets, Group, Flags, int64_t, bool, bool views, Names, int64_t, bool, bool, std::vector<int64_t>, bool batched = false)
      : takes(batched ? "batched" : "caps"), gives_views(views) {}
  std::string takes;
  bool gives_views;
};
struct In215 {
  In215(Tensors, Buckets, Group, Flags, int64_t, bool, bool views, Names, int64_t, bool, bool, std::vector<int64_t>, bool batched = false, bool lazy = false)
      : takes(batched || lazy ? "set flags" : "caps"), gives_views(views) {}
  std::string takes;
  bool gives_views;
};

template <typename Reducer>
std::string made() {
  const auto reducer = construct_reducer<Reducer>({}, {}, {1}, {}, {}, {});
  return reducer->gives_views ? reducer->takes : "no views";
}

TEST(C10dVersion, EachVersionsReducerIsMade) {
  EXPECT_EQ(made<Until23>(), "limits");
  EXPECT_EQ(made<Until26>(), "limits");
  EXPECT_EQ(made<In27>(), "no flags");
  EXPECT_EQ(made<Until210>(), "two flags");
  EXPECT_EQ(made<In211>(), "caps");
  EXPECT_EQ(made<Until214>(), "caps");
  EXPECT_EQ(made<In215>(), "caps");
}

}  // namespace
}  // namespace ringlab::compat
