// rank-state.pth: the state of one rank, with the epoch id of the checkpoint that it belongs to.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/position.h"
#include "values/value.h"

namespace ringlab {

/// Sums of the epoch that is not complete, so that its means are whole after a resume.
struct MeterSums {
  double images = 0;
  double loss = 0;
  double top1 = 0;
  double top5 = 0;
};

struct RankState {
  int rank = 0;
  Position position;
  MeterSums sums;
  Value generators;  ///< a dict of byte tensors: "cpu" as torch.get_rng_state() gives it, and the device's
  Value parts;       ///< a dict by name: what Stateful parts gave
};

constexpr const char* kRankStateFile = "rank-state.pth";
/// The one before, kept until the checkpoint that goes with the new one is in place.
constexpr const char* kPreviousRankStateFile = "rank-state.previous.pth";
/// Of the set that model_best.pth.tar belongs to.
constexpr const char* kBestRankStateFile = "rank-state.best.pth";
/// Of the set that kept_checkpoint_file() belongs to.
inline std::string kept_rank_state_file(int64_t epoch) { return "rank-state-epoch-" + std::to_string(epoch) + ".pth"; }

Value value_of(const RankState& state);
/// Throws std::runtime_error that says what is wrong.
RankState rank_state_of(const Value& value);

struct FoundRankState {
  std::optional<RankState> state;  ///< of that epoch id and rank
  std::string path;                ///< where it was
  std::string instead;             ///< where there is none: a description of what was found
};

/// Looks in each folder for this rank's file of the save that `from` is of: the newest, the one kept before it, that of the
/// epoch and that of the best. Damaged files are passed over and named in `instead`.
FoundRankState find_rank_state(const std::vector<std::string>& folders, int rank, const Position& from);

}  // namespace ringlab
