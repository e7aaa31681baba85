// Lines of a rank's metrics file before its first step: `start` (rank, model, device, data, initial weights and all settings), and `sharing` before it.
#pragma once

#include <cstdint>
#include <optional>

#include "checkpoint/pretrained.h"
#include "train/rank_model.h"
#include "train/run.h"

namespace ringlab {

/// `adopted` is rank 0's, from --pretrained.
void write_start_line(const RunContext& run, const RunState& state, const RankModel& model, const Adopted& adopted);

/// Writes a `sharing` line, and one on the console.
void announce_sharing(const RunContext& run, const char* what, int64_t bytes, std::optional<int64_t> tensors);

}  // namespace ringlab
