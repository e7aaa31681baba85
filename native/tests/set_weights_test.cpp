// Weights that something else has set while all ranks stood on one point, and numbers that are none: what averages keep of before.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "sync/compressor.h"
#include "sync/outer_average.h"
#include "sync/shared_buffers.h"
#include "sync/streamed/streamed_average.h"
#include "tests/rank_threads.h"

namespace ringlab {
namespace {

constexpr int kPair = 2;

std::vector<at::Tensor> weights_at(double value) { return {at::full({8, 6}, value), at::full({6}, value)}; }

struct Average {
  Average(Communicator& communicator, std::vector<at::Tensor>& parameters, const SyncMode& mode) {
    if (mode.compression == Compression::stream) {
      average = std::make_unique<StreamedAverage>(communicator, parameters, mode);
      return;
    }
    compressor = make_compressor(mode, communicator, parameters);
    average = std::make_unique<OuterAverage>(communicator, *compressor, parameters, mode, 0);
  }
  std::unique_ptr<Compressor> compressor;
  std::unique_ptr<ParameterAverage> average;
};

/// Steps of which each rank's go elsewhere.
void walk_apart(std::vector<at::Tensor>& parameters, ParameterAverage& average, int rank, int from, int to) {
  for (int step = from; step < to; ++step) {
    for (auto& parameter : parameters) parameter.add_(0.01 * (rank + 1));
    average.after_step(step, 0.1);
  }
}

double distance(const std::vector<at::Tensor>& parameters, double value) {
  double far = 0;
  for (const auto& parameter : parameters) far = std::max(far, (parameter - value).abs().max().item<double>());
  return far;
}

class SetWeights : public testing::TestWithParam<const char*> {};

TEST_P(SetWeights, AreWhereTheStepsBegin) {
  const SyncMode mode = parse_sync_mode("--sync", GetParam());
  const auto complaints = as_ranks(kPair, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    auto parameters = weights_at(0);
    Average made(communicator, parameters, mode);
    ParameterAverage& average = *made.average;
    EXPECT_FALSE(average.take_set_weights());
    const auto set_all = [&](double value) {
      for (auto& parameter : parameters) parameter.fill_(value);
    };
    // At the start, and after a NaN.
    set_all(5);
    EXPECT_TRUE(average.take_set_weights());
    EXPECT_FALSE(average.take_set_weights());
    average.begin_steps();
    average.share_anchor();
    walk_apart(parameters, average, rank, 0, 4);
    EXPECT_FALSE(mode.compression == Compression::stream && average.take_set_weights()) << "each rank has its own";
    parameters[0][0][0] = NAN;
    average.after_step(4, 0.1);
    average.synchronise(false);
    set_all(7);
    EXPECT_TRUE(average.take_set_weights());
    average.begin_steps();
    walk_apart(parameters, average, rank, 5, 9);
    average.synchronise(true);
    EXPECT_LT(distance(parameters, 7), 0.2) << GetParam();
    // By one rank alone: all get rank 0's, each with its own steps since.
    if (rank == 0) set_all(9);
    EXPECT_EQ(average.take_set_weights(), rank == 0);
    average.begin_steps();
    for (auto& parameter : parameters) parameter.add_(0.01 * (rank + 1));
    average.share_anchor();
    EXPECT_LT(distance(parameters, 9 + 0.01 * (rank + 1)), 1e-4) << GetParam();
    average.after_step(9, 0.1);
    average.synchronise(true);
    EXPECT_LT(distance(parameters, 9), 0.1) << GetParam();
  });
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
}

TEST_P(SetWeights, AreTheAnchorOfAStateThatStandsOnIt) {
  const SyncMode mode = parse_sync_mode("--sync", GetParam());
  const auto complaints = as_ranks(kPair, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    auto parameters = weights_at(3);
    Average whole(communicator, parameters, mode);
    walk_apart(parameters, *whole.average, rank, 0, 4);
    whole.average->synchronise(false);
    NamedTensors saved;
    for (const auto& [name, tensor] : whole.average->state()) saved.emplace_back(name, tensor.clone());
    auto others = weights_at(-50);
    Average resumed(communicator, others, mode);
    for (size_t i = 0; i < others.size(); ++i) others[i].copy_(parameters[i]);
    resumed.average->load_state(saved, true);
    EXPECT_FALSE(resumed.average->take_set_weights());
    if (whole.compressor) resumed.compressor->load_state(whole.compressor->state());
    whole.average->begin_steps();
    resumed.average->begin_steps();
    walk_apart(parameters, *whole.average, rank, 4, 8);
    walk_apart(others, *resumed.average, rank, 4, 8);
    whole.average->synchronise(true);
    resumed.average->synchronise(true);
    for (size_t i = 0; i < others.size(); ++i) EXPECT_TRUE(at::equal(parameters[i], others[i])) << GetParam() << ", parameter " << i;
  });
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
}

INSTANTIATE_TEST_SUITE_P(All, SetWeights, testing::Values("local:1,stream=0.5,overlap=1", "local:2,stream=0.5", "local:2", "local:2,8bit", "diloco:2", "diloco:2,2"));

class Overflow : public testing::TestWithParam<const char*> {};

/// As GradScaler leaves out a step: the averages before and after are those of a run without it.
TEST_P(Overflow, IsOfItsOwnStepAlone) {
  const SyncMode mode = parse_sync_mode("--sync", GetParam());
  const auto complaints = as_ranks(kPair, [&](Communicator& communicator) {
    auto parameters = weights_at(0);
    const auto with = make_compressor(mode, communicator, parameters);
    const auto without = make_compressor(mode, communicator, parameters);
    const auto gradients = [&](int step) {
      auto values = weights_at(0);
      for (auto& value : values) value.copy_(at::arange(value.numel(), at::kFloat).add_(communicator.rank() + 3 * step).sin_().view_as(value));
      return values;
    };
    for (int step = 0; step < 4; ++step) {
      if (step == 2) {
        auto bad = gradients(9);
        if (communicator.rank() == 1) bad[0][1][2] = std::numeric_limits<float>::infinity();
        with->average({0, 1}, bad);
        EXPECT_FALSE(at::isfinite(bad[0]).all().item<bool>());
      }
      auto values = gradients(step);
      auto expected = gradients(step);
      with->average({0, 1}, values);
      without->average({0, 1}, expected);
      for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(at::equal(values[i], expected[i])) << "step " << step << ", parameter " << i;
    }
  });
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
}

INSTANTIATE_TEST_SUITE_P(All, Overflow, testing::Values("powersgd:1", "powersgd:2,fp16", "topk:0.1", "fp16"));

TEST(SharedBuffers, AreRankZerosWhateverTheirType) {
  const auto complaints = as_ranks(kPair, [](Communicator& communicator) {
    const int rank = communicator.rank();
    std::vector<at::Tensor> buffers;
    for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kShort, at::kChar, at::kByte, at::kBool, at::kComplexFloat, at::kComplexDouble}) {
      buffers.push_back(at::full({2, 3}, 1 - rank, at::kFloat).to(type));
      buffers.push_back(at::full({}, 1 - rank, at::kFloat).to(type));
      buffers.push_back(at::full({0, 3}, 1 - rank, at::kFloat).to(type));
      buffers.push_back(at::full({3, 2}, 1 - rank, at::kFloat).to(type).t());
    }
    share_buffers(communicator, {}, buffers);
    for (const auto& buffer : buffers) EXPECT_TRUE(buffer.eq(1).all().item<bool>()) << buffer.scalar_type() << ' ' << buffer.sizes();
  });
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
}

}  // namespace
}  // namespace ringlab
