// Every mode of averaging: bit-identical on all ranks, and nothing lost in the long run.
#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <stdexcept>

#include "rank_threads.h"
#include "sync/compressor.h"
#include "sync/outer_average.h"

namespace ringlab {
namespace {

constexpr int kRanks = 3;
constexpr int kRounds = 6;

std::vector<at::Tensor> shapes() { return {at::zeros({24, 6, 3, 3}), at::zeros({24}), at::zeros({10, 40}), at::zeros({1, 7})}; }

/// Rank `rank`'s values to average in a round.
std::vector<at::Tensor> values_of(int rank, int round) {
  std::vector<at::Tensor> values;
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(static_cast<uint64_t>(100 * round + rank + 1));
  for (const auto& shape : shapes()) values.push_back(at::randn(shape.sizes(), generator));
  return values;
}

struct Outcome {
  std::vector<std::vector<at::Tensor>> results;  ///< by round
  NamedTensors state;
};

std::vector<Outcome> average_everywhere(const std::string& mode) {
  std::vector<Outcome> outcomes(kRanks);
  const auto complaints = as_ranks(kRanks, [&](Communicator& communicator) {
    const auto compressor = make_compressor(parse_sync_mode("--sync", mode), communicator, shapes());
    Outcome& outcome = outcomes[static_cast<size_t>(communicator.rank())];
    for (int round = 0; round < kRounds; ++round) {
      auto values = values_of(communicator.rank(), round);
      // In two messages, as the Reducer's buckets. The tensors are shared with `values`.
      std::vector<at::Tensor> first(values.begin(), values.begin() + 2);
      std::vector<at::Tensor> rest(values.begin() + 2, values.end());
      compressor->average({0, 1}, first);
      compressor->average({2, 3}, rest);
      outcome.results.push_back(values);
    }
    for (const auto& [name, tensor] : compressor->state()) outcome.state.emplace_back(name, tensor.clone());
  });
  for (const auto& complaint : complaints) EXPECT_EQ(complaint, "");
  return outcomes;
}

double largest(const at::Tensor& tensor) { return tensor.abs().max().item<double>(); }

class Modes : public testing::TestWithParam<const char*> {};

TEST_P(Modes, GiveEveryRankTheSameAndLoseNothing) {
  const auto outcomes = average_everywhere(GetParam());
  for (int rank = 1; rank < kRanks; ++rank) {
    for (int round = 0; round < kRounds; ++round) {
      for (size_t i = 0; i < shapes().size(); ++i) {
        ASSERT_TRUE(at::equal(outcomes[static_cast<size_t>(rank)].results[static_cast<size_t>(round)][i], outcomes[0].results[static_cast<size_t>(round)][i]))
            << "rank " << rank << ", round " << round << ", parameter " << i;
      }
    }
  }
  // The sum of all rounds' results and the mean of the ranks' residuals equals the sum of the inputs. By message: its
  // parameters concatenated.
  for (const std::vector<size_t>& which : {std::vector<size_t>{0, 1}, std::vector<size_t>{2, 3}}) {
    std::vector<at::Tensor> in_parts, out_parts;
    int64_t coded = 0;
    for (const size_t i : which) {
      at::Tensor in = at::zeros_like(shapes()[i]);
      at::Tensor out = at::zeros_like(shapes()[i]);
      for (int round = 0; round < kRounds; ++round) {
        for (int rank = 0; rank < kRanks; ++rank) in += values_of(rank, round)[i] / kRanks;
        out += outcomes[0].results[static_cast<size_t>(round)][i];
      }
      for (const auto& outcome : outcomes) {
        for (const auto& [name, tensor] : outcome.state) {
          if (name == "error." + std::to_string(i)) out += tensor.view(out.sizes()) / kRanks;
        }
      }
      if (in.dim() > 1) coded += in.numel();
      in_parts.push_back(in);
      out_parts.push_back(out);
    }
    const at::Tensor in = flatten(in_parts);
    at::Tensor out = flatten(out_parts);
    const std::string first = std::to_string(which.front());
    for (int rank = 0; rank < kRanks; ++rank) {
      for (const auto& [name, tensor] : outcomes[static_cast<size_t>(rank)].state) {
        // Only matrices are compressed; they come first here. The last chunk is padded.
        if (name == "error.own." + first) out.narrow(0, 0, coded) += tensor.narrow(0, 0, coded) / kRanks;
        if (name != "error.chunk." + first) continue;
        // The rank's error from encoding the mean of its chunk.
        const int64_t at = rank * tensor.numel();
        const int64_t count = std::min(tensor.numel(), coded - at);
        if (count > 0) out.narrow(0, at, count) += tensor.narrow(0, 0, count);
      }
    }
    // Rounding of the codes without error feedback, or of float sums.
    const std::string mode = GetParam();
    EXPECT_LT(largest(in - out), mode == "bf16" ? 0.1 : mode.find("fp16") != std::string::npos ? 0.02 : 1e-4) << "parameters from " << first;
  }
}

TEST_P(Modes, GoOnFromTheirState) {
  std::vector<std::vector<at::Tensor>> whole(kRanks), resumed(kRanks);
  as_ranks(kRanks, [&](Communicator& communicator) {
    const auto mode = parse_sync_mode("--sync", GetParam());
    auto compressor = make_compressor(mode, communicator, shapes());
    const std::vector<size_t> all{0, 1, 2, 3};
    for (int round = 0; round < 3; ++round) {
      auto values = values_of(communicator.rank(), round);
      compressor->average(all, values);
    }
    NamedTensors kept;
    for (const auto& [name, tensor] : compressor->state()) kept.emplace_back(name, tensor.clone());
    const auto last = [&](Compressor& with) {
      auto values = values_of(communicator.rank(), 3);
      with.average(all, values);
      return values;
    };
    const auto rank = static_cast<size_t>(communicator.rank());
    whole[rank] = last(*compressor);
    auto again = make_compressor(mode, communicator, shapes());
    again->load_state(kept);
    resumed[rank] = last(*again);
    EXPECT_THROW(again->load_state({{"error.99", at::zeros({3})}}), std::runtime_error);
  });
  for (size_t rank = 0; rank < kRanks; ++rank) {
    for (size_t i = 0; i < shapes().size(); ++i) EXPECT_TRUE(at::equal(whole[rank][i], resumed[rank][i])) << "rank " << rank << ", parameter " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sync, Modes, testing::Values("allreduce", "fp16", "bf16", "powersgd:1", "powersgd:4", "powersgd:2,fp16", "topk:0.05", "local:2,8bit", "local:2,4bit", "local:2,sparse=0.3", "local:2,sparse=2"));

/// Ranks that move in known directions: local SGD without momentum is the mean of their final parameters.
TEST(OuterAverage, StandsAtTheMeanAfterEachPeriod) {
  std::mutex mutex;
  std::vector<at::Tensor> ends(kRanks);
  as_ranks(kRanks, [&](Communicator& communicator) {
    const SyncMode mode = parse_sync_mode("--sync", "local:3");
    std::vector<at::Tensor> parameters{at::zeros({5}), at::ones({2, 2})};
    const auto compressor = make_compressor(mode, communicator, parameters);
    OuterAverage outer(communicator, *compressor, parameters, mode, 300);
    for (int step = 0; step < 4; ++step) {
      for (auto& parameter : parameters) parameter.add_(static_cast<double>(communicator.rank() + 1));
      outer.after_step(step, 0.1);
      // Three steps of 1, 2 and 3 each: the mean has moved by 6; then each continues alone.
      const double expected = step < 2 ? (step + 1.0) * (communicator.rank() + 1) : step == 2 ? 6 : 6.0 + communicator.rank() + 1;
      EXPECT_EQ(parameters[0][0].item<double>(), expected) << "rank " << communicator.rank() << ", step " << step;
    }
    outer.synchronise(true);
    ASSERT_EQ(outer.state().size(), 1U) << "steps alone: all is in the parameters";
    const std::lock_guard<std::mutex> lock(mutex);
    ends[static_cast<size_t>(communicator.rank())] = parameters[1];
  });
  for (const auto& end : ends) EXPECT_TRUE(at::equal(end, at::full({2, 2}, 1.0 + 6 + 2)));
}

/// An epoch of eight steps has two periods of at least three: four each, and none of two at its end.
TEST(OuterAverage, DividesAnEpochEvenly) {
  as_ranks(2, [&](Communicator& communicator) {
    const SyncMode mode = parse_sync_mode("--sync", "local:3");
    std::vector<at::Tensor> parameters{at::zeros({2})};
    const auto compressor = make_compressor(mode, communicator, parameters);
    OuterAverage outer(communicator, *compressor, parameters, mode, 8);
    std::vector<int> together;
    for (int step = 0; step < 16; ++step) {
      parameters[0].add_(static_cast<double>(communicator.rank() + 1));
      outer.after_step(step, 0.1);
      if (parameters[0][0].item<double>() == 1.5 * (step + 1)) together.push_back(step);
    }
    EXPECT_EQ(together, (std::vector<int>{3, 7, 11, 15}));
  });
}

/// With overlap the mean is applied later, and local steps in the meantime are kept.
TEST(OuterAverage, KeepsWhatWasDoneWhileTheMeanWasOnItsWay) {
  as_ranks(2, [&](Communicator& communicator) {
    const SyncMode mode = parse_sync_mode("--sync", "local:4,overlap=2");
    std::vector<at::Tensor> parameters{at::zeros({3})};
    const auto compressor = make_compressor(mode, communicator, parameters);
    OuterAverage outer(communicator, *compressor, parameters, mode, 400);
    const double own = communicator.rank() + 1;
    for (int step = 0; step < 6; ++step) {
      parameters[0].add_(own);
      outer.after_step(step, 0.1);
    }
    // Four steps of 1 and 2 have the mean 6; two local steps since.
    EXPECT_EQ(parameters[0][0].item<double>(), 6 + 2 * own);
    outer.synchronise(true);
    EXPECT_EQ(parameters[0][0].item<double>(), 6 + 2 * 1.5);
  });
}

/// A resumed run knows which steps' images an exchange has brought to all: of a rank that is lost then the others are dealt again.
TEST(OuterAverage, ContinuesWithTheStepsThatCount) {
  struct Case {
    const char* mode;
    int stopped;
    int64_t counts;  ///< then
    int64_t next;    ///< after two more steps
  };
  for (const Case& one : {Case{"local:3", 5, 3, 6}, Case{"local:3", 6, 6, 6}, Case{"diloco:3", 7, 6, 9}, Case{"local:4,overlap=3", 6, 0, 4}, Case{"local:4,fragments=2,overlap=1", 6, 4, 6}}) {
    const auto complaints = as_ranks(2, [&](Communicator& communicator) {
      const SyncMode mode = parse_sync_mode("--sync", one.mode);
      std::vector<at::Tensor> parameters{at::zeros({3}), at::zeros({3})};
      const auto compressor = make_compressor(mode, communicator, parameters);
      const auto walk = [&](OuterAverage& outer, int from, int to) {
        for (int step = from; step < to; ++step) {
          for (auto& parameter : parameters) parameter.add_(static_cast<double>(communicator.rank() + 1));
          outer.after_step(step, 0.1);
        }
      };
      OuterAverage before(communicator, *compressor, parameters, mode, 0);
      walk(before, 0, one.stopped);
      EXPECT_EQ(before.landed_step(), one.counts) << one.mode;
      OuterAverage after(communicator, *compressor, parameters, mode, 0);
      after.load_state(before.state(), true);
      EXPECT_EQ(after.landed_step(), one.counts) << one.mode << " stopped after " << one.stopped;
      // The end of an epoch exchanges, also where it has no step after the resume.
      OuterAverage ended(communicator, *compressor, parameters, mode, 0);
      ended.load_state(before.state(), true);
      walk(after, one.stopped, one.stopped + 2);
      EXPECT_EQ(after.landed_step(), one.next) << one.mode << " stopped after " << one.stopped;
      ended.synchronise(false);
      EXPECT_EQ(ended.landed_step(), one.stopped) << one.mode;
      // A state of an earlier version does not say it.
      NamedTensors earlier = before.state();
      earlier.erase(std::remove_if(earlier.begin(), earlier.end(), [](const auto& item) { return item.first == "steps"; }), earlier.end());
      OuterAverage(communicator, *compressor, parameters, mode, 0).load_state(earlier, true);
      earlier.emplace_back("steps", at::full({static_cast<int64_t>(2 + mode.fragments)}, -1, at::kLong));
      EXPECT_THROW(OuterAverage(communicator, *compressor, parameters, mode, 0).load_state(earlier, true), std::runtime_error);
    });
    for (const auto& complaint : complaints) EXPECT_EQ(complaint, "") << one.mode;
  }
}

/// Two of three ranks come with their state of the middle of a period, in which their means were under way; rank 0 is new.
TEST(OuterAverage, AdmitsANewRank) {
  for (const char* text : {"local:4", "local:4,overlap=2", "diloco:4"}) {
    const SyncMode mode = parse_sync_mode("--sync", text);
    std::vector<NamedTensors> saved(2);
    std::vector<at::Tensor> locals(2);
    as_ranks(2, [&](Communicator& communicator) {
      std::vector<at::Tensor> parameters{at::zeros({3})};
      const auto compressor = make_compressor(mode, communicator, parameters);
      OuterAverage outer(communicator, *compressor, parameters, mode, 400);
      for (int step = 0; step < 5; ++step) {
        parameters[0].add_(static_cast<double>(communicator.rank() + 1));
        outer.after_step(step, 0.1);
      }
      const auto rank = static_cast<size_t>(communicator.rank());
      for (const auto& [name, tensor] : outer.state()) saved[rank].emplace_back(name, tensor.clone());
      locals[rank] = parameters[0].clone();
    });
    std::vector<at::Tensor> ends(3);
    const auto complaints = as_ranks(3, [&](Communicator& communicator) {
      const auto rank = static_cast<size_t>(communicator.rank());
      std::vector<at::Tensor> parameters{at::full({3}, 100.0)};
      const auto compressor = make_compressor(mode, communicator, parameters);
      OuterAverage outer(communicator, *compressor, parameters, mode, 400);
      if (rank > 0) outer.load_state(saved[rank - 1], false);
      outer.admit(1, rank == 0, {});
      // Local steps alone: the anchor is where all were together, at 0 or, after a mean that has counted, at its sum.
      if (rank > 0) {
        EXPECT_TRUE(at::equal(parameters[0], locals[rank - 1])) << text;
      } else {
        EXPECT_TRUE(at::equal(parameters[0], saved[0][mode.outer_momentum > 0 ? 1 : 0].second)) << text;
      }
      for (int step = 5; step < 9; ++step) {
        parameters[0].add_(1.0);
        outer.after_step(step, 0.1);
      }
      outer.synchronise(true);
      ends[rank] = parameters[0];
    });
    for (const auto& complaint : complaints) EXPECT_EQ(complaint, "") << text;
    for (const auto& end : ends) EXPECT_TRUE(at::equal(end, ends[0])) << text << ' ' << end;
  }
}

}  // namespace
}  // namespace ringlab
