// The `start` line of a rank's metrics file: rank, model, device, data, initial weights and all settings.
#pragma once

#include "checkpoint/pretrained.h"
#include "train/rank_model.h"
#include "train/run.h"

namespace ringlab {

/// `adopted` is rank 0's, from --pretrained.
void write_start_line(const RunContext& run, const RunState& state, const RankModel& model, const Adopted& adopted);

}  // namespace ringlab
