// Every rank has rank 0's model afterwards, and no tensor is sent that all ranks had.
#include "comm/collectives/share_model.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>

#include "tests/rank_threads.h"

namespace ringlab {
namespace {

constexpr int kRanks = 3;

/// 40 kB of weights, a bias, a number, and a tensor whose order in memory is not that of its indices.
NamedModel model() {
  return {{"conv.weight", at::arange(10'000, at::kFloat).reshape({20, 20, 5, 5})},
          {"conv.bias", at::zeros({20})},
          {"bn.num_batches_tracked", at::full({}, 4, at::kLong)},
          {"last.weight", at::arange(480, at::kFloat).reshape({2, 3, 8, 10}).contiguous(at::MemoryFormat::ChannelsLast)}};
}

bool equal_bytes(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor left = a.contiguous();
  const at::Tensor right = b.contiguous();
  return left.nbytes() == right.nbytes() && std::memcmp(left.data_ptr(), right.data_ptr(), left.nbytes()) == 0;
}

struct Result {
  Lacking lacking;
  std::vector<Lacking> announced;
  int64_t sent = 0;
  NamedModel model;
};

/// `change` makes of model() what a rank has before.
std::vector<Result> share(const std::function<void(int rank, NamedModel&)>& change) {
  std::vector<Result> results(kRanks);
  const auto complaints = as_ranks(kRanks, [&](Communicator& communicator) {
    Result& result = results[static_cast<size_t>(communicator.rank())];
    result.model = model();
    change(communicator.rank(), result.model);
    const int64_t before = communicator.traffic().sent;
    result.lacking = share_model(communicator, result.model, [&result](const Lacking& lacking) { result.announced.push_back(lacking); });
    result.sent = communicator.traffic().sent - before;
  });
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
  return results;
}

void expect_all(const std::vector<Result>& results, const NamedModel& expected, int64_t tensors, int64_t bytes) {
  for (const Result& result : results) {
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(equal_bytes(result.model[i].second, expected[i].second)) << expected[i].first;
    EXPECT_EQ(result.lacking.tensors, tensors);
    EXPECT_EQ(result.lacking.bytes, bytes);
    EXPECT_EQ(result.announced.size(), tensors > 0 ? 1U : 0U);
    for (const Lacking& announced : result.announced) EXPECT_EQ(announced.bytes, bytes);
  }
}

TEST(ShareModel, SendsNoTensorWhereAllRanksHoldTheSame) {
  const auto results = share([](int, NamedModel&) {});
  expect_all(results, model(), 0, 0);
  for (const Result& result : results) EXPECT_LE(result.sent, 24 * (kRanks - 1));
}

TEST(ShareModel, SendsTheOneTensorThatOneRankHasOtherwise) {
  const auto results = share([](int rank, NamedModel& own) {
    if (rank == 2) own[1].second[7] = std::numeric_limits<float>::denorm_min();
  });
  expect_all(results, model(), 1, 20 * 4);
  for (const Result& result : results) EXPECT_LT(result.sent, 400);
}

TEST(ShareModel, SendsWhatAnyOfSeveralRanksLacks) {
  const auto results = share([](int rank, NamedModel& own) {
    if (rank == 1) own[0].second.fill_(1);
    if (rank == 2) own[3].second.fill_(2);
  });
  expect_all(results, model(), 2, (10'000 + 480) * 4);
}

TEST(ShareModel, GivesRankZerosWhereRankZeroAloneIsDifferent) {
  NamedModel expected = model();
  expected[0].second.fill_(3);
  expected[2].second.fill_(5);
  const auto results = share([](int rank, NamedModel& own) {
    if (rank != 0) return;
    own[0].second.fill_(3);
    own[2].second.fill_(5);
  });
  expect_all(results, expected, 2, 10'000 * 4 + 8);
}

struct Sent {
  at::Tensor weights;
  int64_t bytes = 0;
};

/// 24 MB from `root` to those that `lacks`.
std::vector<Sent> share_large(int world, int root, const std::function<bool(int rank)>& lacks) {
  std::vector<Sent> results(static_cast<size_t>(world));
  const auto complaints = as_ranks(world, [&](Communicator& communicator) {
    Sent& result = results[static_cast<size_t>(communicator.rank())];
    result.weights = at::arange(6'000'000, at::kFloat);
    if (lacks(communicator.rank())) result.weights.zero_();
    const int64_t before = communicator.traffic().sent;
    share_model(communicator, {{"weight", result.weights}}, {}, root);
    result.bytes = communicator.traffic().sent - before;
  });
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
  for (const Sent& result : results) EXPECT_TRUE(result.weights.equal(at::arange(6'000'000, at::kFloat)));
  return results;
}

constexpr int64_t kLarge = 24'000'000;

TEST(ShareModel, SendsOnlyToTheRankThatLacks) {
  const auto results = share_large(4, 1, [](int rank) { return rank == 3; });
  EXPECT_GE(results[1].bytes, kLarge);
  for (const size_t rank : {0U, 2U, 3U}) EXPECT_LT(results[rank].bytes, 1000);
}

TEST(ShareModel, SendsOnceOverEachRanksLink) {
  const auto results = share_large(4, 1, [](int rank) { return rank != 1; });
  for (const size_t rank : {1U, 2U, 3U}) {
    EXPECT_GE(results[rank].bytes, kLarge);
    EXPECT_LT(results[rank].bytes, kLarge + 1000);
  }
  EXPECT_LT(results[0].bytes, 1000);
}

/// Compared as numbers NaN would differ from itself, and -0 would be 0.
TEST(ShareModel, ComparesBytesAndNotNumbers) {
  const auto results = share([](int rank, NamedModel& own) {
    own[0].second.fill_(std::numeric_limits<float>::quiet_NaN());
    own[1].second.fill_(rank == 0 ? -0.0F : 0.0F);
  });
  NamedModel expected = model();
  expected[0].second.fill_(std::numeric_limits<float>::quiet_NaN());
  expected[1].second.fill_(-0.0F);
  expect_all(results, expected, 1, 20 * 4);
}

/// What crosses the network is the values in the order of their indices.
TEST(ShareModel, GivesTheSameValuesInAnotherOrderInMemory) {
  const auto results = share([](int rank, NamedModel& own) {
    if (rank == 1) own[3].second = own[3].second.contiguous(at::MemoryFormat::Contiguous);
  });
  expect_all(results, model(), 0, 0);
}

std::vector<std::string> refusals(const std::function<void(int rank, NamedModel&)>& change) {
  return as_ranks(kRanks, [&](Communicator& communicator) {
    NamedModel own = model();
    change(communicator.rank(), own);
    share_model(communicator, own);
    ADD_FAILURE() << "rank " << communicator.rank() << " shared a model of another shape";
  });
}

TEST(ShareModel, RefusesAnotherShapeByNameOnEveryRank) {
  for (const auto& complaint : refusals([](int rank, NamedModel& own) {
         if (rank == 1) own[1].second = at::zeros({21});
       })) {
    EXPECT_EQ(complaint, "the ranks' models differ: rank 1 has conv.bias (Float [21]), rank 0 has conv.bias (Float [20])");
  }
}

TEST(ShareModel, RefusesAnotherTypeAndANumberOfTensorsOnEveryRank) {
  for (const auto& complaint : refusals([](int rank, NamedModel& own) {
         if (rank == 1) own[1].second = at::zeros({20}, at::kInt);
         if (rank == 2) own.pop_back();
       })) {
    EXPECT_EQ(complaint, "the ranks' models differ: rank 1 has conv.bias (Int [20]), rank 0 has conv.bias (Float [20]); rank 2 has no last.weight (Float [2, 3, 8, 10]), which rank 0 has");
  }
}

}  // namespace
}  // namespace ringlab
