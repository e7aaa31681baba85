// A few bits of every change a step: equal anchors on all ranks, nothing lost, and a state that continues to the bit.
#include "sync/streamed/streamed_average.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <stdexcept>

#include "rank_threads.h"

namespace ringlab {
namespace {

constexpr int kRanks = 3;

std::vector<at::Tensor> fresh_parameters() {
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(uint64_t{7});
  std::vector<at::Tensor> parameters;
  parameters.push_back(at::randn({24, 6, 3, 3}, generator).contiguous(at::MemoryFormat::ChannelsLast));
  parameters.push_back(at::randn({24}, generator));
  parameters.push_back(at::randn({10, 40}, generator));
  parameters.push_back(at::randn({1, 7}, generator));
  parameters.push_back(at::randn({5}, generator));
  return parameters;
}

/// What a rank's optimizer does in a step.
std::vector<at::Tensor> change_of(int rank, int step) {
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(static_cast<uint64_t>(100 * step + rank + 1));
  std::vector<at::Tensor> changes;
  for (const auto& parameter : fresh_parameters()) changes.push_back(at::randn(parameter.sizes(), generator).mul_(0.01));
  return changes;
}

void walk(std::vector<at::Tensor>& parameters, StreamedAverage& average, int rank, int from, int to) {
  for (int step = from; step < to; ++step) {
    const auto changes = change_of(rank, step);
    for (size_t i = 0; i < parameters.size(); ++i) parameters[i].add_(changes[i]);
    average.after_step(step, 0.1);
  }
}

NamedTensors copy_of(const NamedTensors& state) {
  NamedTensors out;
  for (const auto& [name, tensor] : state) out.emplace_back(name, tensor.clone());
  return out;
}

at::Tensor part(const NamedTensors& state, const std::string& wanted) {
  for (const auto& [name, tensor] : state) {
    if (name == wanted) return tensor;
  }
  ADD_FAILURE() << "no " << wanted;
  return at::empty({0});
}

struct Streamed {
  const char* mode;
  int ranks;
};
std::ostream& operator<<(std::ostream& out, const Streamed& streamed) { return out << streamed.mode << " of " << streamed.ranks; }

class StreamedModes : public testing::TestWithParam<Streamed> {};

TEST_P(StreamedModes, KeepEqualAnchorsAndLoseNothing) {
  constexpr int kSteps = 12;
  const int ranks = GetParam().ranks;
  std::vector<NamedTensors> states(static_cast<size_t>(ranks));
  std::vector<std::vector<at::Tensor>> ends(static_cast<size_t>(ranks));
  as_ranks(ranks, [&](Communicator& communicator) {
    const auto rank = static_cast<size_t>(communicator.rank());
    auto parameters = fresh_parameters();
    parameters[2] = parameters[2].to(at::kDouble);  // goes by way of a copy, as on a GPU
    StreamedAverage average(communicator, parameters, parse_sync_mode("--sync", GetParam().mode));
    walk(parameters, average, communicator.rank(), 0, kSteps);
    states[rank] = copy_of(average.state());
    average.synchronise(true);
    for (const auto& parameter : parameters) ends[rank].push_back(parameter.clone());
    average.synchronise(true);
    for (size_t i = 0; i < parameters.size(); ++i) EXPECT_TRUE(at::equal(ends[rank][i], parameters[i])) << "synchronised twice, parameter " << i;
  });
  const auto start = fresh_parameters();
  for (const char* name : {"anchor", "vectors_anchor"}) {
    for (const auto& state : states) EXPECT_TRUE(at::equal(part(state, name), part(states[0], name))) << name;
  }
  for (const auto& state : states) EXPECT_FALSE(at::equal(part(state, "local"), part(states[0], "anchor")));
  for (size_t i = 0; i < start.size(); ++i) {
    // Where the mean of all steps leads: what was sent, what stayed and the owners' residuals are all of it.
    at::Tensor expected = start[i].clone();
    for (int rank = 0; rank < ranks; ++rank) {
      for (int step = 0; step < kSteps; ++step) expected += change_of(rank, step)[i] / ranks;
    }
    for (const auto& end : ends) EXPECT_TRUE(at::equal(end[i], ends[0][i])) << "parameter " << i;
    // Rounded to four bits of the largest change of a block, with what an owner keeps for all ranks, and to 16.
    EXPECT_LT((ends[0][i] - expected).abs().max().item<double>(), start[i].dim() > 1 ? 0.02 : 1e-4) << "parameter " << i;
  }
}

TEST_P(StreamedModes, ContinueFromTheirStateToTheBit) {
  const int ranks = GetParam().ranks;
  // In the middle of a period, with an exchange under way where the mode has one, and after all stood at one point.
  for (const int stopped : {1, 3, 4, 5}) {
    for (const bool together : {false, true}) {
      as_ranks(ranks, [&](Communicator& communicator) {
        const int rank = communicator.rank();
        const SyncMode mode = parse_sync_mode("--sync", GetParam().mode);
        auto parameters = fresh_parameters();
        StreamedAverage whole(communicator, parameters, mode);
        walk(parameters, whole, rank, 0, stopped);
        if (together) whole.synchronise(stopped == 1);
        const NamedTensors saved = copy_of(whole.state());
        // Together the model's checkpoint has the parameters; else it has rank 0's, and the state each rank's own.
        auto others = together ? std::vector<at::Tensor>() : fresh_parameters();
        if (together) {
          for (const auto& parameter : parameters) others.push_back(parameter.clone());
        }
        StreamedAverage resumed(communicator, others, mode);
        resumed.load_state(saved, true);
        EXPECT_EQ(resumed.landed_step(), whole.landed_step()) << "stopped after " << stopped;
        whole.begin_steps();
        resumed.begin_steps();
        walk(parameters, whole, rank, stopped, stopped + 5);
        walk(others, resumed, rank, stopped, stopped + 5);
        for (size_t i = 0; i < parameters.size(); ++i) EXPECT_TRUE(at::equal(parameters[i], others[i])) << "stopped after " << stopped << ", parameter " << i;
        const auto one = whole.state();
        const auto two = resumed.state();
        ASSERT_EQ(one.size(), two.size());
        for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::equal(one[i].second, two[i].second)) << one[i].first;
      });
    }
  }
}

TEST_P(StreamedModes, ShowTheAnchorForAnEvaluationAndGoOnFromTheirOwnWeights) {
  const int ranks = GetParam().ranks;
  std::vector<std::vector<at::Tensor>> shown(static_cast<size_t>(ranks));
  as_ranks(ranks, [&](Communicator& communicator) {
    const auto rank = static_cast<size_t>(communicator.rank());
    auto parameters = fresh_parameters();
    StreamedAverage average(communicator, parameters, parse_sync_mode("--sync", GetParam().mode));
    walk(parameters, average, communicator.rank(), 0, 7);
    average.synchronise(false);
    for (const auto& parameter : parameters) shown[rank].push_back(parameter.clone());
    // Once more, as a run that was stopped in its evaluation does.
    average.begin_steps();
    EXPECT_FALSE(at::equal(parameters[0], shown[rank][0]));
    average.synchronise(false);
    for (size_t i = 0; i < parameters.size(); ++i) EXPECT_TRUE(at::equal(parameters[i], shown[rank][i])) << i;
    average.begin_steps();
    walk(parameters, average, communicator.rank(), 7, 12);
    average.synchronise(true);
    const auto start = fresh_parameters();
    for (size_t i = 0; i < start.size(); ++i) {
      at::Tensor expected = start[i].clone();
      for (int other = 0; other < ranks; ++other) {
        for (int step = 0; step < 12; ++step) expected += change_of(other, step)[i] / ranks;
      }
      EXPECT_LT((parameters[i] - expected).abs().max().item<double>(), start[i].dim() > 1 ? 0.02 : 1e-4) << "parameter " << i;
    }
  });
  for (size_t i = 0; i < shown[0].size(); ++i) {
    for (const auto& one : shown) EXPECT_TRUE(at::equal(one[i], shown[0][i])) << "parameter " << i;
  }
}

/// As a script does that gives its parameters other memory (`p.data = …`).
TEST_P(StreamedModes, FollowParametersToOtherMemory) {
  std::vector<std::vector<at::Tensor>> ends(2);
  for (const bool moves : {false, true}) {
    as_ranks(GetParam().ranks, [&](Communicator& communicator) {
      auto parameters = fresh_parameters();
      parameters[2] = parameters[2].to(at::kDouble);
      StreamedAverage average(communicator, parameters, parse_sync_mode("--sync", GetParam().mode));
      for (int step = 0; step < 8; ++step) {
        if (moves) {
          std::vector<at::Tensor> elsewhere;
          for (const auto& parameter : parameters) elsewhere.push_back(parameter.clone());
          average.use_memory(elsewhere);
          for (auto& parameter : parameters) parameter.fill_(NAN);
          parameters = elsewhere;
        }
        walk(parameters, average, communicator.rank(), step, step + 1);
      }
      average.synchronise(true);
      if (communicator.rank() == 1) ends[moves ? 1 : 0] = parameters;
    });
  }
  for (size_t i = 0; i < ends[0].size(); ++i) EXPECT_TRUE(at::equal(ends[0][i], ends[1][i])) << i;
}

/// Where exchanges land is the same on all ranks, and the step that they land in known before.
TEST_P(StreamedModes, SayWhetherAnExchangeGoesOnBeyondAStep) {
  const SyncMode mode = parse_sync_mode("--sync", GetParam().mode);
  as_ranks(GetParam().ranks, [&](Communicator& communicator) {
    auto parameters = fresh_parameters();
    StreamedAverage average(communicator, parameters, mode);
    for (int step = 0; step < 12; ++step) {
      // Since the last one was sent.
      const int age = step % mode.period;
      EXPECT_EQ(average.exchanges_through(), step >= mode.period && age + 1 < mode.overlap) << step;
      walk(parameters, average, communicator.rank(), step, step + 1);
    }
  });
}

/// Ranks stop after `stopped` steps, where `together` in the evaluation behind an epoch's end. Rank 0 is new, the others keep what they had, and all exchange as one run in `more` steps and at their end.
void admit_a_new_rank(const Streamed& streamed, int stopped, bool together, int more) {
  const int ranks = streamed.ranks;
  const SyncMode mode = parse_sync_mode("--sync", streamed.mode);
  std::vector<NamedTensors> saved(static_cast<size_t>(ranks));
  std::vector<std::vector<at::Tensor>> models(static_cast<size_t>(ranks));
  as_ranks(ranks, [&](Communicator& communicator) {
    const auto rank = static_cast<size_t>(communicator.rank());
    auto& parameters = models[rank] = fresh_parameters();
    StreamedAverage average(communicator, parameters, mode);
    walk(parameters, average, communicator.rank(), 0, stopped);
    if (together) average.synchronise(false);
    saved[rank] = copy_of(average.state());
    for (auto& parameter : parameters) parameter = parameter.clone();
  });
  std::vector<NamedTensors> states(static_cast<size_t>(ranks) + 1);
  std::vector<std::vector<at::Tensor>> ends(states.size());
  const auto complaints = as_ranks(ranks + 1, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    // Where all were together the model's checkpoint has what they have in common.
    auto parameters = fresh_parameters();
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (together) parameters[i].copy_(models[0][i]);
      else parameters[i].mul_(rank);
    }
    StreamedAverage average(communicator, parameters, mode);
    if (rank > 0) average.load_state(saved[static_cast<size_t>(rank) - 1], false);
    average.admit(1, rank == 0, {});
    const auto before = copy_of(average.state());
    average.begin_steps();
    if (rank > 0 && !together) {
      for (size_t i = 0; i < parameters.size(); ++i) EXPECT_TRUE(at::equal(parameters[i], models[static_cast<size_t>(rank) - 1][i])) << i;
      EXPECT_TRUE(at::equal(part(before, "anchor"), part(saved[0], "anchor")));
    }
    if (rank == 0 && !together) {
      EXPECT_TRUE(at::equal(part(before, "local"), part(saved[0], "anchor")));
      EXPECT_TRUE(at::equal(part(before, "vectors_local"), part(saved[0], "vectors_anchor")));
    }
    walk(parameters, average, rank, stopped, stopped + more);
    states[static_cast<size_t>(rank)] = copy_of(average.state());
    average.synchronise(true);
    ends[static_cast<size_t>(rank)] = parameters;
  });
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
  for (size_t rank = 1; rank < states.size(); ++rank) {
    EXPECT_TRUE(at::equal(part(states[rank], "anchor"), part(states[0], "anchor"))) << rank;
    for (size_t i = 0; i < ends[0].size(); ++i) EXPECT_TRUE(at::equal(ends[rank][i], ends[0][i])) << rank << ' ' << i;
  }
}

TEST_P(StreamedModes, AdmitANewRank) {
  for (const int stopped : {3, 4}) {
    for (const bool together : {false, true}) admit_a_new_rank(GetParam(), stopped, together, 6);
  }
}

/// Nothing is left of the epoch whose evaluation was interrupted: its end exchanges again, on the new rank, too.
TEST_P(StreamedModes, AdmitANewRankAtAnEpochsEnd) {
  for (const bool together : {false, true}) admit_a_new_rank(GetParam(), 4, together, 0);
}

INSTANTIATE_TEST_SUITE_P(Sync, StreamedModes, testing::Values(Streamed{"local:1,stream=0.5,overlap=1", kRanks}, Streamed{"local:1,stream=0.5,overlap=1", kRanks + 1}, Streamed{"local:1,stream=2", 2},
                                                           Streamed{"local:1,stream=2", kRanks + 1}, Streamed{"local:3,stream=1,overlap=2", kRanks + 1}, Streamed{"local:3,stream=4,overlap=3", kRanks}));

/// Nothing is computed between these steps: every exchange takes longer, and the link counts as slower. On a slow or busy processor the
/// steps themselves may take longer than an exchange, and it counts as faster.
class StreamedPace : public testing::TestWithParam<int> {};

TEST_P(StreamedPace, IsTakenByAllRanksTogetherWhoContinueWithItToTheBit) {
  const int ranks = GetParam();
  std::vector<NamedTensors> states(static_cast<size_t>(ranks));
  std::vector<StreamReason> reasons(states.size());
  as_ranks(ranks, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    const SyncMode mode = parse_sync_mode("--sync", "local:1,stream=0.9,overlap=1,adapt=1");
    std::vector<StreamChange> changes;
    auto parameters = fresh_parameters();
    StreamedAverage whole(communicator, parameters, mode, [&](const StreamPace&, const StreamChange& change) { changes.push_back(change); });
    int step = 0;
    for (; step < 40 && changes.empty(); ++step) walk(parameters, whole, rank, step, step + 1);
    ASSERT_EQ(changes.size(), 1U);
    reasons[static_cast<size_t>(rank)] = changes[0].reason;
    const NamedTensors saved = copy_of(whole.state());
    EXPECT_EQ(part(saved, "pace")[2].item<double>(), changes[0].to.bits);
    states[static_cast<size_t>(rank)] = saved;
    auto others = fresh_parameters();
    StreamedAverage resumed(communicator, others, mode);
    resumed.load_state(saved, true);
    // No other change can be decided so soon: the resumed run has other times.
    const int few = changes[0].to.period * static_cast<int>(StreamRule::kSkipped);
    walk(parameters, whole, rank, step, step + few);
    walk(others, resumed, rank, step, step + few);
    for (size_t i = 0; i < parameters.size(); ++i) EXPECT_TRUE(at::equal(parameters[i], others[i])) << "parameter " << i;
    whole.synchronise(true);
    const auto start = fresh_parameters();
    for (size_t i = 0; i < start.size(); ++i) {
      at::Tensor expected = start[i].clone();
      for (int other = 0; other < ranks; ++other) {
        for (int made = 0; made < step + few; ++made) expected += change_of(other, made)[i] / ranks;
      }
      EXPECT_LT((parameters[i] - expected).abs().max().item<double>(), start[i].dim() > 1 ? 0.02 : 1e-4) << "parameter " << i;
    }
  });
  EXPECT_TRUE(reasons[0] == StreamReason::link_slower || reasons[0] == StreamReason::link_faster) << name_of(reasons[0]);
  for (const auto reason : reasons) EXPECT_EQ(reason, reasons[0]);
  for (const char* name : {"anchor", "pace"}) {
    for (const auto& state : states) EXPECT_TRUE(at::equal(part(state, name), part(states[0], name))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Sync, StreamedPace, testing::Values(kRanks, kRanks + 1));

/// Of an exchange that decided it, and did not land on all of those that are left.
TEST(StreamedAverage, GoesOnAtThePaceOfTheRankThatKnowsMostWhereRanksWereLost) {
  std::vector<NamedTensors> states(kRanks);
  as_ranks(kRanks, [&](Communicator& communicator) {
    const auto rank = static_cast<size_t>(communicator.rank());
    const SyncMode mode = parse_sync_mode("--sync", "local:2,stream=0.5,overlap=2,adapt=1");
    auto parameters = fresh_parameters();
    StreamedAverage before(communicator, parameters, mode);
    walk(parameters, before, communicator.rank(), 0, 4);
    NamedTensors saved = copy_of(before.state());
    if (rank == 1) part(saved, "pace").copy_(at::tensor({1.0, 1.0, 0.5}, at::kDouble));
    before.load_state(saved, true);
    StreamedAverage after(communicator, parameters, mode);
    after.take_over(before, 1, false)();
    states[rank] = copy_of(after.state());
    walk(parameters, after, communicator.rank(), 4, 10);
    after.synchronise(true);
  });
  for (const auto& state : states) {
    EXPECT_TRUE(at::equal(part(state, "pace"), part(states[1], "pace")));
    EXPECT_TRUE(at::equal(part(state, "rule").narrow(0, 0, 3), part(state, "pace"))) << "the rule judges exchanges of the pace that all have";
  }
  EXPECT_EQ(part(states[0], "pace")[0].item<double>(), 1);
}

TEST(StreamedAverage, ShortensASavedPeriodThatIsLongerThanItsOwn) {
  as_ranks(2, [&](Communicator& communicator) {
    const SyncMode mode = parse_sync_mode("--sync", "local:1,stream=0.5,overlap=1,adapt=1");
    auto parameters = fresh_parameters();
    StreamedAverage before(communicator, parameters, mode);
    walk(parameters, before, communicator.rank(), 0, 2);
    NamedTensors saved = copy_of(before.state());
    part(saved, "pace").copy_(at::tensor({8.0, 8.0, 0.5}, at::kDouble));
    part(saved, "rule").narrow(0, 0, 3).copy_(part(saved, "pace"));
    StreamedAverage resumed(communicator, parameters, mode);
    resumed.load_state(saved, true);
    EXPECT_EQ(part(copy_of(resumed.state()), "pace")[0].item<double>(), 1);
    EXPECT_EQ(part(copy_of(resumed.state()), "rule")[0].item<double>(), 1);
    const int64_t landed = resumed.landed();
    walk(parameters, resumed, communicator.rank(), 2, 14);
    EXPECT_GT(resumed.landed(), landed + 1);
  });
}

TEST(StreamedAverage, RefusesAnotherModelsState) {
  as_ranks(2, [&](Communicator& communicator) {
    const SyncMode mode = parse_sync_mode("--sync", "local:1,stream=0.5");
    auto parameters = fresh_parameters();
    StreamedAverage average(communicator, parameters, mode);
    EXPECT_THROW(average.load_state({}, true), std::runtime_error);
    auto other = fresh_parameters();
    other[0] = other[0].contiguous();
    StreamedAverage in_another_order(communicator, other, mode);
    EXPECT_THROW(in_another_order.load_state(copy_of(average.state()), true), std::runtime_error);
  });
}

TEST(StreamedAverage, GivesAllRanksTheNumberThatIsNone) {
  as_ranks(2, [&](Communicator& communicator) {
    auto parameters = fresh_parameters();
    StreamedAverage average(communicator, parameters, parse_sync_mode("--sync", "local:1,stream=0.5,overlap=1"));
    walk(parameters, average, communicator.rank(), 0, 2);
    if (communicator.rank() == 1) parameters[2][3][4] = NAN;
    walk(parameters, average, communicator.rank(), 2, 5);
    EXPECT_TRUE(part(average.state(), "anchor").isnan().any().item<bool>());
    average.synchronise(false);
    EXPECT_TRUE(parameters[2].isnan().any().item<bool>());
  });
}

TEST(StreamedAverage, TakesModelsOfFewValues) {
  as_ranks(kRanks, [&](Communicator& communicator) {
    for (const auto& shape : {std::vector<int64_t>{2}, std::vector<int64_t>{1, 1}}) {
      std::vector<at::Tensor> parameters{at::zeros(shape)};
      StreamedAverage average(communicator, parameters, parse_sync_mode("--sync", "local:1,stream=0.1,overlap=1"));
      for (int step = 0; step < 4; ++step) {
        parameters[0].add_(communicator.rank() + 1);
        average.after_step(step, 0.1);
      }
      average.synchronise(true);
      // A value is rebuilt as a product of two: to the last bit or so.
      EXPECT_FLOAT_EQ(parameters[0].flatten()[0].item<float>(), 8);
    }
  });
}

TEST(StreamedAverage, LeavesRoomForMatricesWhereVectorsAreMany) {
  EXPECT_DOUBLE_EQ(stream_matrix_bits(1, 1600, 10), (1610 - 10 * kVectorBits) / 1600);
  EXPECT_DOUBLE_EQ(stream_matrix_bits(0.1, 1000, 1000), 0.1);
}

}  // namespace
}  // namespace ringlab
