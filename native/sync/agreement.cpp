#include "sync/agreement.h"

#include <ATen/Functions.h>

#include <cstring>

namespace ringlab {

uint64_t parameter_hash(const std::vector<std::pair<std::string, at::Tensor>>& tensors) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor bytes = tensor.detach().cpu().contiguous();
    const auto* data = static_cast<const char*>(bytes.data_ptr());
    const size_t size = bytes.nbytes();
    for (size_t i = 0; i < size; i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, data + i, std::min<size_t>(8, size - i));
      hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

void check_sync(Communicator& communicator, const std::vector<std::pair<std::string, at::Tensor>>& parameters, int64_t epoch) {
  const uint64_t hash = parameter_hash(parameters);
  int64_t bits = 0;
  std::memcpy(&bits, &hash, sizeof bits);
  const auto all = communicator.all_gather(at::full({1}, bits, at::kLong));
  std::string differing;
  const int64_t first = all.front().item<int64_t>();
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank].item<int64_t>() != first) differing += (differing.empty() ? "" : ", ") + std::to_string(rank);
  }
  if (differing.empty()) return;
  throw Failure(ErrorCode::peer_disagrees, "after epoch " + std::to_string(epoch) + " the parameters of rank " + differing + " differ from rank 0's",
                "the ranks have drifted apart: are they builds of one version on processors of one kind?");
}

}  // namespace ringlab
