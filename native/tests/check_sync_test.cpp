// The proof that all ranks hold the same weights, between ranks that are threads.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sync/agreement.h"
#include "tests/rank_threads.h"

namespace ringlab {
namespace {

using Parameters = std::vector<std::pair<std::string, at::Tensor>>;

Parameters parameters() { return {{"weight", at::arange(12, at::kFloat).reshape({3, 4})}, {"bias", at::zeros({3})}, {"count", at::full({}, 4, at::kLong)}}; }

TEST(CheckSync, IsSilentWhereAllRanksHoldTheSame) {
  for (const auto& complaint : as_ranks(3, [](Communicator& communicator) { check_sync(communicator, parameters(), "epoch 0"); })) EXPECT_EQ(complaint, "");
}

TEST(CheckSync, NamesTheRankThatDriftedByTheLastBitOfOneWeight) {
  const auto complaints = as_ranks(3, [](Communicator& communicator) {
    Parameters own = parameters();
    if (communicator.rank() == 2) own[0].second[2][3] = std::nextafter(11.0F, 12.0F);
    check_sync(communicator, own, "epoch 4");
  });
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "after epoch 4 the parameters of rank 2 differ from rank 0's");
}

}  // namespace
}  // namespace ringlab
