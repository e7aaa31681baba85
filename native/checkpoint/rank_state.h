// rank-state.pth: the state of one rank, with the epoch id of its checkpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/position.h"
#include "values/value.h"

namespace ringlab {

/// Sums of the current epoch, so that its means are complete after a resume.
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
  Value generators;  ///< a dict of byte tensors: "cpu" as from torch.get_rng_state(), and the device's
  Value parts;       ///< a dict by name, of the Stateful parts
  Value weights;     ///< with local steps, of ranks other than 0: this rank's state_dict, so that a resume need not send it. Else None
};

constexpr const char* kRankStateFile = "rank-state.pth";
/// The previous one, kept until the checkpoint of the new one has its final name.
constexpr const char* kPreviousRankStateFile = "rank-state.previous.pth";
/// Of the set of model_best.pth.tar.
constexpr const char* kBestRankStateFile = "rank-state.best.pth";
/// Of the set of kept_checkpoint_file().
inline std::string kept_rank_state_file(int64_t epoch) { return "rank-state-epoch-" + std::to_string(epoch) + ".pth"; }

Value value_of(const RankState& state);
/// Throws std::runtime_error with the reason.
RankState rank_state_of(const Value& value);

struct FoundRankState {
  std::optional<RankState> state;  ///< for that epoch id and rank
  std::string path;                ///< its file
  std::string instead;             ///< without a state: a description of the files found
};

/// Looks in each folder for this rank's file of the save of `from`: the newest, the previous, the epoch's and the best one.
/// Damaged files are skipped and named in `instead`.
FoundRankState find_rank_state(const std::vector<std::string>& folders, int rank, const Position& from);

/// This rank's newest state in the first folder that has one. Throws Failure or std::runtime_error if none has one, or it is damaged.
RankState newest_rank_state(const std::vector<std::string>& folders, int rank);

}  // namespace ringlab
