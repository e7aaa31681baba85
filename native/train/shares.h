// This rank's share of the training images.
#pragma once

#include <cstdint>
#include <vector>

#include "data/loading/cut.h"
#include "train/run.h"

namespace ringlab {

/// With --sharded-data a collective: the ranks exchange their folder's identity and size.
Share agree_on_share(const RunContext& run);

/// Of the images that `deal` gives each rank.
Cut cut_of(const RunContext& run, const Share& share, const Deal& deal);

/// Steps of an epoch whose last deal is `deal`, those before it included.
int64_t steps_of_epoch(const RunContext& run, const Share& share, const Deal& deal);

/// Sets `deal.evened` where its last step, or the last batch of it, would be smaller than half of one, and than an epoch's last one with all ranks, which is the user's choice: batch norm
/// over a few values, and the gradient of a few images, throw weights off.
void even_out(const RunContext& run, const RunState& state, Deal& deal);

/// Steps of an epoch that the ranks that are there begin.
int64_t steps_of_next_epoch(const RunContext& run, const RunState& state);

/// Of a checkpoint in an epoch in which ranks were lost, or which fewer ranks began and all continue, when `state` has its position: what is left of the epoch, for this run's number of ranks.
/// False where there is no such deal, or one of other data.
bool resume_deal(const RunContext& run, RunState& state, const Position& from);

/// Of a checkpoint within an epoch, when `state` has its seed: says so if this run has other data or another seed. Then the epoch has another order, and what it has left is not what was not seen.
void warn_other_order(const RunContext& run, const RunState& state, const Position& from);

/// The rank's images of `deal` in this epoch, in order.
std::vector<int64_t> rank_images(const Share& share, const Deal& deal, uint64_t seed, int64_t epoch);

}  // namespace ringlab
