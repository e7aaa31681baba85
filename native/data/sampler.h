// torch.utils.data.DistributedSampler: which pictures a rank sees in an epoch, in which order.
#pragma once

#include <cstdint>
#include <vector>

namespace ringlab {

/// torch.randperm(count, generator=torch.Generator().manual_seed(seed)) on the CPU, number for number.
std::vector<int64_t> torch_randperm(int64_t count, uint64_t seed);

/// DistributedSampler(shuffle=True, drop_last=False) after set_epoch(epoch): the permutation for seed + epoch, padded
/// from its start to a multiple of `world_size`, then every world_size-th from `rank`. All ranks get equally many.
std::vector<int64_t> training_indices(int64_t count, int rank, int world_size, uint64_t seed, int64_t epoch);

/// rank, rank + world_size, …: each picture on one rank exactly once, so that sums over ranks are exact
/// whether or not the set divides by the world size (main.py gets there with a sampler that drops and an extra loader).
std::vector<int64_t> validation_indices(int64_t count, int rank, int world_size);

}  // namespace ringlab
