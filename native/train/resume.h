// Loads initial weights, checkpoint and rank state before the first step.
#pragma once

#include <optional>

#include "checkpoint/pretrained.h"
#include "models/architectures/registry.h"
#include "train/run.h"

namespace ringlab {

/// Read by rank 0 before the model is created, which depends on it; not needed on other ranks.
struct StartFiles {
  std::optional<PretrainedFile> pretrained;    ///< --pretrained
  std::optional<LoadedCheckpoint> checkpoint;  ///< --resume
};

/// On rank 0: chooses `state.resume_path` and reads both files. A folder as --pretrained means torchvision's file in it. Throws Failure.
StartFiles read_start_files(const RunContext& run, RunState& state);

/// On rank 0: copies the weights into `model`. Throws Failure.
Adopted take_pretrained(const RunContext& run, RunState& state, const Classifier& model, const PretrainedFile& file);

/// On rank 0: restores the checkpoint's content. Throws Failure.
void resume(const RunContext& run, RunState& state, const LoadedCheckpoint& loaded);

/// A collective: broadcasts rank 0's position, seed, optimizer and parts; the model is sent by share_model().
void share_position(const RunContext& run, RunState& state);

/// A collective: loads every rank's own file of the checkpoint's epoch id; fails on all ranks if one is missing. Throws Failure.
/// Returns whether the set of files is complete; see CheckpointSet.
bool load_rank_states(const RunContext& run, RunState& state);

}  // namespace ringlab
