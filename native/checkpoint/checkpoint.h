// checkpoint.pth.tar as main.py writes it, with our position added; and rank-state.pth, which every rank has of its own.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/value.h"
#include "sync/optimizer.h"

namespace ringlab {

/// Where in the run a checkpoint stands.
struct Position {
  int64_t epoch = 0;            ///< epochs complete: main.py's `epoch`
  int64_t step = 0;             ///< optimiser steps over the whole run
  int64_t batch = 0;            ///< steps done in the epoch that is not complete
  int64_t global_batch = 0;     ///< images a step, all ranks
  int64_t world_size = 1;
  int64_t seed = 0;
};

/// The whole of what rank 0 saves.
struct TrainingState {
  std::string arch;
  std::vector<std::pair<std::string, at::Tensor>> model;  ///< parameters and buffers, in state_dict's order
  Optimizer* optimizer = nullptr;
  double lr = 0.1;          ///< in force now
  double initial_lr = 0.1;
  Value scheduler;          ///< state_dict() of Python's scheduler; None where there is none
  double best_top1 = 0;
  Position position;
};

/// Writes the file atomically; returns its size in bytes. Throws Failure (disk_full, internal); the old file stays.
uint64_t save_checkpoint(const std::string& path, const TrainingState& state);

/// What a resume finds. `position` is absent in a checkpoint of Python's.
struct LoadedCheckpoint {
  int64_t epoch = 0;
  std::string arch;
  double best_top1 = 0;
  Value state_dict;
  Value optimizer;  ///< None where the file has none
  std::optional<Position> position;
};

/// Reads ours and Python's. Throws Failure: bad_data where there is no such file, checkpoint_mismatch where it is damaged,
/// hostile, or of another kind; the message has the path and the reason.
LoadedCheckpoint load_checkpoint(const std::string& path);

/// The state_dict alone: of a checkpoint, or of a file that is nothing but a state_dict.
Value load_weights(const std::string& path);

/// Fills `state` (whose model exists) from `loaded`. Throws Failure (checkpoint_mismatch) naming what does not fit.
void restore(const LoadedCheckpoint& loaded, const std::string& path, TrainingState& state);

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
};

uint64_t save_rank_state(const std::string& path, const RankState& state);
/// Empty where there is no such file; throws Failure (checkpoint_mismatch) where it is damaged.
std::optional<RankState> load_rank_state(const std::string& path);

}  // namespace ringlab
