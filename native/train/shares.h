// This rank's share of the training images.
#pragma once

#include <cstdint>
#include <vector>

#include "train/run.h"

namespace ringlab {

/// With --sharded-data a collective: the ranks exchange their folder's identity and size.
Share agree_on_share(const RunContext& run);

/// How many of its images a rank has had after `steps` steps of `deal`.
int64_t images_each(const RunContext& run, const Share& share, const Deal& deal, int64_t steps);

/// Steps of an epoch whose last deal is `deal`, those before it included.
int64_t steps_of_epoch(const RunContext& run, const Share& share, const Deal& deal);

/// Of a checkpoint in an epoch in which ranks were lost, when `state` has its position: what is left of the epoch, for this run's number of ranks. False where there is
/// no such deal, or one of other data.
bool resume_deal(const RunContext& run, RunState& state, const Position& from);

/// The rank's images of `deal` in this epoch, in order.
std::vector<int64_t> rank_images(const Share& share, const Deal& deal, uint64_t seed, int64_t epoch);

}  // namespace ringlab
