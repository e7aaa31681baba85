// torch.utils.data.DistributedSampler: which pictures a rank sees in an epoch, in which order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringlab {

/// torch.randperm(count, generator=torch.Generator().manual_seed(seed)) on the CPU, number for number.
std::vector<int64_t> torch_randperm(int64_t count, uint64_t seed);

/// DistributedSampler(shuffle=True, drop_last=False) after set_epoch(epoch): the permutation for seed + epoch, padded
/// from its start to a multiple of `world_size`, then every world_size-th from `rank`. All ranks get equally many.
std::vector<int64_t> training_indices(int64_t count, int rank, int world_size, uint64_t seed, int64_t epoch);

/// What a rank takes of the training pictures that it can read.
struct Share {
  int64_t pictures = 0;  ///< that it can read
  int place = 0;         ///< among the ranks that read the same folder
  int sharers = 1;       ///< those ranks
  int64_t per_rank = 0;  ///< pictures an epoch: the same for all ranks, for each step needs them all
  int64_t total = 0;     ///< pictures in all folders together
};

/// All ranks can read all pictures: DistributedSampler's.
Share share_of_all(int64_t count, int rank, int world_size);

/// What one rank reads with --sharded-data: which folder on which machine, and how many pictures it has.
struct FolderPart {
  std::string folder;
  int64_t pictures = 0;
};

/// Ranks with the same folder divide it; who has fewer pictures than others repeats some. `parts` has a row for each rank.
Share share_of_part(const std::vector<FolderPart>& parts, int rank);

/// The share's pictures in this epoch's order: its folder's permutation for seed + epoch, from its start again where it is too
/// short, every sharers-th from `place`.
std::vector<int64_t> training_indices(const Share& share, uint64_t seed, int64_t epoch);

/// rank, rank + world_size, …: each picture on one rank exactly once, so that sums over ranks are exact
/// whether or not the set divides by the world size (main.py gets there with a sampler that drops and an extra loader).
std::vector<int64_t> validation_indices(int64_t count, int rank, int world_size);

}  // namespace ringlab
