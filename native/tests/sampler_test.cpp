// The order of an epoch's images, as torch's and DistributedSampler's.
#include "data/loading/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

namespace ringlab {
namespace {

TEST(Sampler, PermutesAsTorchDoes) {
  // torch.randperm(10, generator=torch.Generator().manual_seed(s)) of PyTorch 1.13.
  EXPECT_EQ(torch_randperm(10, 0), (std::vector<int64_t>{4, 1, 7, 5, 3, 9, 0, 8, 6, 2}));
  EXPECT_EQ(torch_randperm(10, 3), (std::vector<int64_t>{6, 0, 3, 7, 8, 5, 1, 9, 2, 4}));
}

TEST(Sampler, OrdersAsDistributedSamplerDoes) {
  // list(DistributedSampler(range(11), num_replicas=3, rank=r, seed=5)) after set_epoch(2).
  EXPECT_EQ(training_indices(11, 0, 3, 5, 2), (std::vector<int64_t>{3, 2, 4, 7}));
  EXPECT_EQ(training_indices(11, 1, 3, 5, 2), (std::vector<int64_t>{0, 5, 10, 6}));
  EXPECT_EQ(training_indices(11, 2, 3, 5, 2), (std::vector<int64_t>{9, 8, 1, 3}));
}

TEST(Sampler, GivesEveryRankEquallyMany) {
  for (int64_t count : {1, 2, 7, 9, 100}) {
    for (int world : {1, 2, 3, 8}) {
      std::set<int64_t> seen;
      const size_t expected = training_indices(count, 0, world, 1, 0).size();
      for (int rank = 0; rank < world; ++rank) {
        const auto indices = training_indices(count, rank, world, 1, 0);
        EXPECT_EQ(indices.size(), expected);
        seen.insert(indices.begin(), indices.end());
      }
      EXPECT_EQ(static_cast<int64_t>(seen.size()), count) << "every image comes";
    }
  }
}

TEST(Sampler, DividesPartsAmongThoseWhoReadThem) {
  // Ranks 0 and 2 on one machine with 7 images, rank 1 alone with 5: five steps of one image for each.
  const std::vector<FolderPart> parts{{"a", 7}, {"b", 5}, {"a", 7}};
  std::set<int64_t> of_a;
  for (int rank = 0; rank < 3; ++rank) {
    const Share share = share_of_part(parts, rank);
    EXPECT_EQ(share.per_rank, 5);
    EXPECT_EQ(share.total, 12);
    EXPECT_EQ(share.images, parts[static_cast<size_t>(rank)].images);
    const auto indices = training_indices(share, 5, 2);
    EXPECT_EQ(indices.size(), 5U);
    const std::set<int64_t> seen(indices.begin(), indices.end());
    if (rank == 1) EXPECT_EQ(seen, (std::set<int64_t>{0, 1, 2, 3, 4})) << "its part, whole";
    else of_a.insert(seen.begin(), seen.end());
  }
  EXPECT_EQ(of_a.size(), 7U) << "every image of the shared part comes";
  EXPECT_EQ(share_of_part(parts, 0).place, 0);
  EXPECT_EQ(share_of_part(parts, 2).place, 1);
}

TEST(Sampler, TakesOnePartThatAllReadAsThatWhichIsNotDivided) {
  const std::vector<FolderPart> parts(3, {"same", 11});
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(training_indices(share_of_part(parts, rank), 5, 2), training_indices(11, rank, 3, 5, 2));
}

TEST(Sampler, ValidatesEveryImageOnce) {
  std::vector<int64_t> all;
  for (int rank = 0; rank < 3; ++rank) {
    const auto indices = validation_indices(10, rank, 3);
    all.insert(all.end(), indices.begin(), indices.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

}  // namespace
}  // namespace ringlab
