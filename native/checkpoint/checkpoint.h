// checkpoint.pth.tar as main.py writes it, with our position added.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/position.h"
#include "checkpoint/rank_state.h"
#include "checkpoint/snapshot.h"
#include "optim/optimizer.h"
#include "values/stateful.h"
#include "values/value.h"

namespace ringlab {

/// What the model was made for: enough to give it a picture.
struct ModelInput {
  int64_t size = 224;                ///< edge of the square in pixels
  int64_t channels = 3;
  std::vector<std::string> classes;  ///< names in the order of the labels; may be fewer than the model's outputs
  bool transform_input = false;      ///< ModelSettings::transform_input
};

/// The whole of what rank 0 saves.
struct TrainingState {
  std::string arch;
  std::vector<std::pair<std::string, at::Tensor>> model;  ///< parameters and buffers, in state_dict's order
  std::set<std::string> buffers;                          ///< those of `model` that a forward pass may change
  Optimizer* optimizer = nullptr;
  double lr = 0.1;          ///< in force now
  double initial_lr = 0.1;
  Value scheduler;          ///< state_dict() of Python's scheduler; None where there is none
  ModelInput input;
  double best_top1 = 0;
  Position position;
  bool module_prefix = false;  ///< names in the file begin with `module.`, as a model in DistributedDataParallel has them
  StatefulParts parts;      ///< rank 0's: saved beside `optimizer` under their names, on a resume given to all ranks
};

/// The value of checkpoint.pth.tar: epoch, arch, state_dict, best_acc1, optimizer and scheduler as main.py has them; the
/// position; rank 0's own `rank_state`, so that a run of one process needs no other file; and the parts by their names.
/// Parameters and the optimizer's state are left to the snapshot's copy(), all else is copied at once.
Value checkpoint_value(const TrainingState& state, const RankState& rank_state, Snapshot& snapshot);

/// What a resume finds. `position` is absent in a checkpoint of Python's.
struct LoadedCheckpoint {
  int64_t epoch = 0;
  std::string arch;
  double best_top1 = 0;
  Value state_dict;
  Value optimizer;  ///< None where the file has none
  std::optional<Position> position;
  std::optional<RankState> rank_state;  ///< rank 0's
  std::optional<ModelInput> input;      ///< absent in Python's, and where ours did not keep it yet
  Value all;                            ///< the whole file
};

/// Reads ours and Python's. Throws Failure: bad_data where there is no such file, checkpoint_mismatch where it is damaged,
/// hostile, or of another kind; the message has the path and the reason.
LoadedCheckpoint load_checkpoint(const std::string& path);

/// Fills `state` (whose model, optimizer and parts exist) from `loaded`. A part that the file does not have stays as it is.
/// Throws Failure (checkpoint_mismatch) naming what does not fit.
void restore(const LoadedCheckpoint& loaded, const std::string& path, TrainingState& state);

}  // namespace ringlab
