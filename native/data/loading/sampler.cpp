#include "data/loading/sampler.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace ringlab {

std::vector<int64_t> torch_randperm(int64_t count, uint64_t seed) {
  // at::mt19937 is std::mt19937 seeded with the low 32 bits; randperm is a forward Fisher-Yates shuffle.
  std::mt19937 engine(static_cast<uint32_t>(seed));
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t i = 0; i < count - 1; ++i) {
    const auto pick = static_cast<int64_t>(static_cast<uint64_t>(engine()) % static_cast<uint64_t>(count - i));
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(i + pick)]);
  }
  return order;
}

Share share_of_all(int64_t count, int rank, int world_size) { return {count, rank, world_size, (count + world_size - 1) / world_size, count}; }

Share share_of_part(const std::vector<FolderPart>& parts, int rank) {
  std::map<std::string, std::vector<size_t>> readers;
  for (size_t k = 0; k < parts.size(); ++k) readers[parts[k].folder].push_back(k);
  Share share;
  for (const auto& [folder, ranks] : readers) {
    const int64_t count = parts[ranks.front()].images;
    const auto sharers = static_cast<int64_t>(ranks.size());
    share.total += count;
    share.per_rank = std::max(share.per_rank, (count + sharers - 1) / sharers);
    const auto found = std::find(ranks.begin(), ranks.end(), static_cast<size_t>(rank));
    if (found == ranks.end()) continue;
    share.images = count;
    share.place = static_cast<int>(found - ranks.begin());
    share.sharers = static_cast<int>(sharers);
  }
  return share;
}

std::vector<int64_t> training_indices(const Share& share, uint64_t seed, int64_t epoch) {
  if (share.images == 0) return {};
  const auto order = torch_randperm(share.images, seed + static_cast<uint64_t>(epoch));
  std::vector<int64_t> indices;
  indices.reserve(static_cast<size_t>(share.per_rank));
  for (int64_t i = share.place; i < share.per_rank * share.sharers; i += share.sharers) indices.push_back(order[static_cast<size_t>(i % share.images)]);
  return indices;
}

std::vector<int64_t> training_indices(int64_t count, int rank, int world_size, uint64_t seed, int64_t epoch) {
  return training_indices(share_of_all(count, rank, world_size), seed, epoch);
}

std::vector<int64_t> validation_indices(int64_t count, int rank, int world_size) {
  std::vector<int64_t> indices;
  for (int64_t i = rank; i < count; i += world_size) indices.push_back(i);
  return indices;
}

}  // namespace ringlab
