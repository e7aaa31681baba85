// A value of rank 0 on every rank, and no storage is sent that a rank has in a value of its own.
#include "checkpoint/share_value.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "tests/rank_threads.h"
#include "values/tensor_values.h"

namespace ringlab {
namespace {

constexpr int kWorldSize = 3;
constexpr int64_t kLarge = 50'000;

/// As an optimizer's state: tensors by number, and a setting.
Value state(float first, float second) {
  Value tensors = Value::dict();
  tensors.set("0", value_of(at::full({kLarge}, first))).set("1", value_of(at::full({2, 5}, second)));
  return Value::dict().set("state", tensors).set("momentum", Value::real(0.9));
}

/// What rank 0 sends while every rank receives state(1, 2); `own` is what the others have by then.
int64_t sent_with(const std::function<Value(int rank)>& own) {
  int64_t sent = 0;
  const auto complaints = as_ranks(kWorldSize, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    const int64_t before = communicator.traffic().sent;
    const Value received = share_value(communicator, rank == 0 ? state(1, 2) : Value(), rank == 0 ? Value() : own(rank));
    if (rank == 0) sent = communicator.traffic().sent - before;
    const Value* tensors = received.find("state");
    ASSERT_NE(tensors, nullptr);
    EXPECT_TRUE(at::equal(tensor_of(*tensors->find("0")), at::full({kLarge}, 1.0F))) << "rank " << rank;
    EXPECT_TRUE(at::equal(tensor_of(*tensors->find("1")), at::full({2, 5}, 2.0F))) << "rank " << rank;
    EXPECT_EQ(received.find("momentum")->as_real(), 0.9);
  });
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
  return sent;
}

TEST(ShareValue, SendsAllToRanksThatHaveNothing) {
  EXPECT_GE(sent_with([](int) { return Value(); }), kLarge * 4 + 40);
}

TEST(ShareValue, SendsNoTensorThatAllRanksHave) {
  EXPECT_LT(sent_with([](int) { return state(1, 2); }), 2000);
}

TEST(ShareValue, FindsTensorsUnderOtherNames) {
  EXPECT_LT(sent_with([](int) { return Value::list({value_of(at::full({2, 5}, 2.0F)), value_of(at::full({100, kLarge / 100}, 1.0F))}); }), 2000);
}

TEST(ShareValue, SendsWhatOneRankHasOtherwise) {
  EXPECT_GE(sent_with([](int rank) { return state(rank == 2 ? 3.0F : 1.0F, 2); }), kLarge * 4);
  EXPECT_LT(sent_with([](int rank) { return state(1, rank == 1 ? 3.0F : 2.0F); }), 2000);
}

}  // namespace
}  // namespace ringlab
