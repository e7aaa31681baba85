#include "data/sampler.h"

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

std::vector<int64_t> training_indices(int64_t count, int rank, int world_size, uint64_t seed, int64_t epoch) {
  if (count == 0) return {};
  const auto order = torch_randperm(count, seed + static_cast<uint64_t>(epoch));
  const int64_t per_rank = (count + world_size - 1) / world_size;
  std::vector<int64_t> indices;
  indices.reserve(static_cast<size_t>(per_rank));
  for (int64_t i = rank; i < per_rank * world_size; i += world_size) indices.push_back(order[static_cast<size_t>(i % count)]);
  return indices;
}

std::vector<int64_t> validation_indices(int64_t count, int rank, int world_size) {
  std::vector<int64_t> indices;
  for (int64_t i = rank; i < count; i += world_size) indices.push_back(i);
  return indices;
}

}  // namespace ringlab
