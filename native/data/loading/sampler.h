// torch.utils.data.DistributedSampler: a rank's images in an epoch, in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringlab {

/// torch.randperm(count, generator=torch.Generator().manual_seed(seed)) on the CPU, the same numbers.
std::vector<int64_t> torch_randperm(int64_t count, uint64_t seed);

/// DistributedSampler(shuffle=True, drop_last=False) after set_epoch(epoch): the permutation for seed + epoch, padded
/// from its start to a multiple of `world_size`, then every world_size-th from `rank`. All ranks get the same number.
std::vector<int64_t> training_indices(int64_t count, int rank, int world_size, uint64_t seed, int64_t epoch);

/// A rank's share of the training images that it can read.
struct Share {
  int64_t images = 0;  ///< that it can read
  int place = 0;         ///< index among the ranks that read the same folder
  int sharers = 1;       ///< number of those ranks
  int64_t per_rank = 0;  ///< images per epoch: the same for all ranks, as each step needs all of them
  int64_t total = 0;     ///< images in all folders together
};

/// All ranks can read all images: DistributedSampler's share.
Share share_of_all(int64_t count, int rank, int world_size);

/// What one rank reads with --sharded-data: the folder, its machine, and the number of images.
struct FolderPart {
  std::string folder;
  int64_t images = 0;
};

/// Ranks with the same folder divide it; a rank with fewer images than others repeats some. `parts` has a row for each
/// rank.
Share share_of_part(const std::vector<FolderPart>& parts, int rank);

/// The share's images in this epoch's order: the folder's permutation for seed + epoch, repeated from its start if too short,
/// every sharers-th from `place`.
std::vector<int64_t> training_indices(const Share& share, uint64_t seed, int64_t epoch);

/// rank, rank + world_size, …: each image on exactly one rank, so that sums over ranks are exact even if the set is not
/// divisible by the world size (main.py uses a sampler that drops and an extra loader).
std::vector<int64_t> validation_indices(int64_t count, int rank, int world_size);

}  // namespace ringlab
