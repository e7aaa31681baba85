// A run that is resumed by other ranks than saved it, since some had left and come back: whose save counts. A rank that has its own state of it keeps its sums and
// generators. With local steps it also continues from its own weights, and a new one starts from the anchor. PROTOCOL.md, 'Coming back'.
#pragma once

#include <optional>
#include <string>

#include "checkpoint/checkpoint.h"
#include "checkpoint/rank_state.h"
#include "train/run.h"
#include "train/synchronisation.h"

namespace ringlab {

/// A collective: chooses `state.source`. Usually rank 0; with --on-lost-rank save or continue the rank that rank_of_newest() names, by each one's own file of --resume, since rank 0 may
/// have been lost in the run before. Returns that checkpoint on the source, where it has been read.
std::optional<LoadedCheckpoint> agree_on_source(const RunContext& run, RunState& state);

struct Keepers {
  bool any = false;    ///< there are some; equal on all ranks
  bool apart = false;  ///< the save is in the middle of an epoch, so that each one's weights are its own; equal on all ranks
  std::optional<RankState> own;  ///< this rank's state, without parts where gradients are averaged; none where it is new
  std::string path;              ///< its file
};

/// A collective, after the source's resume(): with --on-lost-rank save or continue and a --resume of another number of ranks, which ranks have a state of the
/// source's save in their folder. None is kept where the source has none.
Keepers agree_on_keepers(const RunContext& run, const RunState& state);

/// A collective, once keepers have taken their states: new ranks get the source's anchor, as ParameterAverage::admit() says. Writes a `sharing` line if it has to be sent.
void admit_new_ranks(const RunContext& run, const RunState& state, const Keepers& keepers, Synchronisation& sync);

}  // namespace ringlab
