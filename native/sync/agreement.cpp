#include "sync/agreement.h"

#include <ATen/Functions.h>

#include <cstring>

#include "base/xxh64.h"

namespace ringlab {

uint64_t parameter_hash(const std::vector<std::pair<std::string, at::Tensor>>& tensors) {
  uint64_t hash = 0;
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor values = tensor.detach().cpu().contiguous();
    hash = xxh64(values.data_ptr(), values.nbytes(), hash);
  }
  return hash;
}

void check_sync(Communicator& communicator, const std::vector<std::pair<std::string, at::Tensor>>& parameters, const std::string& when) {
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
  throw Failure(ErrorCode::peer_disagrees, "after " + when + " the parameters of rank " + differing + " differ from rank 0's",
                "the ranks have drifted apart: are they builds of one version on processors of one kind?");
}

}  // namespace ringlab
