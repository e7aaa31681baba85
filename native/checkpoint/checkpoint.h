// checkpoint.pth.tar as main.py writes it, extended by our position.
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

/// The model's input format: sufficient to classify an image.
struct ModelInput {
  int64_t size = 224;                ///< edge of the square in pixels
  int64_t channels = 3;
  std::vector<std::string> classes;  ///< names in label order; may be fewer than the model's outputs
  bool transform_input = false;      ///< ModelSettings::transform_input
};

/// Everything that rank 0 saves.
struct TrainingState {
  std::string arch;
  std::vector<std::pair<std::string, at::Tensor>> model;  ///< parameters and buffers, in state_dict's order
  std::set<std::string> buffers;                          ///< names in `model` that a forward pass may change
  Optimizer* optimizer = nullptr;
  double lr = 0.1;          ///< current
  double initial_lr = 0.1;
  Value scheduler;          ///< state_dict() of Python's scheduler; None without one
  ModelInput input;
  double best_top1 = 0;
  Position position;
  bool module_prefix = false;  ///< names in the file begin with `module.`, as from DistributedDataParallel
  StatefulParts parts;      ///< rank 0's: saved beside `optimizer` under their names; after a resume sent to all ranks
};

/// The model's state_dict. Parameters are copied later by the snapshot's copy(), buffers at once.
Value weights_value(const TrainingState& state, Snapshot& snapshot);

/// The content of checkpoint.pth.tar: epoch, arch, state_dict, best_acc1, optimizer and scheduler as in main.py; the
/// position; rank 0's own `rank_state`, so that a run of one process needs no other file; and the parts by name.
/// Parameters and optimizer state are copied later by the snapshot's copy(), everything else at once.
/// @param val_top1 in percent, of these weights; nothing within an epoch
Value checkpoint_value(const TrainingState& state, const RankState& rank_state, std::optional<double> val_top1, Snapshot& snapshot);

/// A loaded checkpoint. `position` is absent in Python's checkpoints.
struct LoadedCheckpoint {
  int64_t epoch = 0;
  std::string arch;
  double best_top1 = 0;
  Value state_dict;
  Value optimizer;  ///< None if the file has none
  std::optional<Position> position;
  std::optional<RankState> rank_state;  ///< rank 0's
  std::optional<ModelInput> input;      ///< absent in Python's checkpoints, and in our older ones
  Value all;                            ///< the whole file
};

/// Reads our checkpoints and Python's. Throws Failure: bad_data if there is no such file, checkpoint_mismatch if it is
/// damaged, hostile, or of another kind; the message has the path and the reason.
LoadedCheckpoint load_checkpoint(const std::string& path);

/// The top-1, in percent, of the model_best.pth.tar in `folder`: its own, or the best one of its run where the file is of before
/// it had its own. -1 where it cannot be read, nothing where there is none.
std::optional<double> top1_of_best(const std::string& folder);

/// Fills `state` (whose model, optimizer and parts exist) from `loaded`. A part that the file lacks is unchanged. Warns of settings of the file's optimizer
/// that this run's does not have. Throws
/// Failure (checkpoint_mismatch) naming the first mismatch.
void restore(const LoadedCheckpoint& loaded, const std::string& path, TrainingState& state);

}  // namespace ringlab
