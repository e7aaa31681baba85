// Loads initial weights, checkpoint and rank state before the first step.
#pragma once

#include <cstdint>
#include <optional>

#include "checkpoint/pretrained.h"
#include "models/architectures/registry.h"
#include "train/keepers.h"
#include "train/run.h"

namespace ringlab {

/// A collective: seeds libtorch's generators on every rank with rank 0's seed, so that all draw the same initial weights.
void agree_on_seed(const RunContext& run, RunState& state);

/// Read by one rank, `state.source`, before the model is created, which depends on it; not needed on other ranks.
struct StartFiles {
  std::optional<PretrainedFile> pretrained;    ///< --pretrained
  std::optional<LoadedCheckpoint> checkpoint;  ///< --resume
};

/// On the source: chooses `state.resume_path` and reads both files, but for `newest` of agree_on_source(). A folder as --pretrained means torchvision's file in it. Throws Failure.
StartFiles read_start_files(const RunContext& run, RunState& state, std::optional<LoadedCheckpoint> newest);

/// On the source: copies the weights into `model`. Throws Failure.
Adopted take_pretrained(const RunContext& run, RunState& state, const Classifier& model, const PretrainedFile& file);

/// On the source: restores the checkpoint's content. Throws Failure.
void resume(const RunContext& run, RunState& state, const LoadedCheckpoint& loaded);

/// What a rank has on its own node of what need not be sent.
struct OwnCopies {
  Value rest;        ///< on ranks other than 0: the checkpoint's state of the optimizer and the parts, for share_position()
  std::string save;  ///< the epoch id of a save in the middle of an epoch of local steps, if this rank continues from its own weights of it; else ""
};

/// On the source after resume(): looks whether its rank-state.pth is of the checkpoint's save. On other ranks: loads the weights of its rank-state.pth, or those of --pretrained and --resume if the source has another address and this
/// node has the files, so that they need not be sent. Failures are ignored: share_weights() replaces what is missing, damaged or different.
OwnCopies take_own_copies(const RunContext& run, const RunState& state, const Classifier& model);

/// A collective: share_model() of all parameters and buffers, from the source. Writes a `sharing` line and a console line if weights have to be sent. Where all
/// ranks have their own weights of one `save`, which is not "", nothing is sent; where `keepers` are apart, only what is not trained is.
void share_weights(const RunContext& run, const RunState& state, const Classifier& model, const std::string& save, const Keepers& keepers);

/// A collective: broadcasts the source's position, seed and parts, except for tensors that all ranks have in their `own`; the model is sent by
/// share_weights(), the optimizer by share_optimizer().
void share_position(const RunContext& run, RunState& state, const Value& own);

struct LoadedRankStates {
  bool set_is_whole = true;     ///< see CheckpointSet
  bool own_optimizers = false;  ///< every rank has its own optimizer's state: local steps
};

/// A collective: loads every rank's own file of the checkpoint's epoch id; fails on all ranks if one is missing. With another number of ranks those that are `keepers`
/// take their state, and others start from its initial value. Throws Failure.
LoadedRankStates load_rank_states(const RunContext& run, RunState& state, const Keepers& keepers);

/// A collective of a resumed run: broadcasts the state of the source's optimizer, except for tensors that all ranks have in their `own`. Not for ranks
/// that have their own optimizers: 47 MB for resnet18's momenta, 37 s over 10 Mbps.
void share_optimizer(const RunContext& run, RunState& state, const Value& own);

}  // namespace ringlab
