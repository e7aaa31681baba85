// Shared parts of attention within windows: a learned bias for each pair of positions, indexed by their offset.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ringlab {

/// For each pair of positions in a square window of edge `side`: the row in a table of (2 * side - 1)^2 offsets, vertical offset
/// first. (side^2, side^2), int64.
at::Tensor relative_position_index(int64_t side);

/// Rows of `table` ((2 * side - 1)^2, heads), one for each pair of `index`, as (1, heads, side^2, side^2).
at::Tensor relative_position_bias(const at::Tensor& table, const at::Tensor& index, int64_t side);

}  // namespace ringlab
