// Differences between libtorch's versions in c10d: 1.13, 2.6, and known changes of later 2.x.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringlab::compat {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

/// The group that `gloo` is: in 1.13 a ProcessGroup itself, since 2.0 a Backend of a ProcessGroup.
inline Group group_of(const c10::intrusive_ptr<c10d::ProcessGroupGloo>& gloo) {
#if TORCH_VERSION_MAJOR >= 2
  auto group = c10::make_intrusive<c10d::ProcessGroup>(gloo->getRank(), gloo->getSize());
  group->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO, c10::intrusive_ptr<c10d::Backend>(gloo));
  group->setBackend(c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::GLOO, c10::intrusive_ptr<c10d::Backend>(gloo));
  return group;
#else
  return gloo;
#endif
}

/// Does this libtorch include NCCL?
bool has_nccl();

/// A NCCL group for tensors on this process's current CUDA device. Throws c10::Error if has_nccl() is false. Every
/// operation has the time-out `timeout`.
Group nccl_group(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, std::chrono::milliseconds timeout);

/// Ends a NCCL group whose ranks have all done so much: without it, later versions warn at the process's end.
void end_nccl(const Group& group);

using Buckets = std::vector<std::vector<size_t>>;
using Names = std::unordered_map<size_t, std::string>;

/// The Reducer's constructor lost the buckets' size limits and gained flags over time: calls that of this libtorch.
/// `find_unused_parameters` is false, gradients are views into the buckets.
template <typename Reducer>
std::unique_ptr<Reducer> construct_reducer(const std::vector<at::Tensor>& parameters, Buckets buckets, const std::vector<size_t>& limits, const Group& group,
                                           const std::vector<bool>& sparse, Names names) {
  using Tensors = std::vector<at::Tensor>;
  using Limits = const std::vector<size_t>&;
  using Sparse = std::vector<bool>;
  constexpr int64_t kCap = c10d::kDefaultBucketBytesCap;
  constexpr int64_t kFirst = c10d::kDefaultFirstBucketBytes;
  const auto with = [&](auto&&... flags) {
    return std::make_unique<Reducer>(parameters, std::move(buckets), group, sparse, kCap, false, true, std::move(names), kFirst, std::forward<decltype(flags)>(flags)...);
  };
  if constexpr (std::is_constructible_v<Reducer, Tensors, Buckets, Limits, Group, Sparse, int64_t, bool, bool, Names, int64_t>) {  // up to 2.6
    return std::make_unique<Reducer>(parameters, std::move(buckets), limits, group, sparse, kCap, false, true, std::move(names), kFirst);
  } else if constexpr (std::is_constructible_v<Reducer, Tensors, Buckets, Group, Sparse, int64_t, bool, bool, Names, int64_t>) {  // 2.7
    return with();
  } else if constexpr (std::is_constructible_v<Reducer, Tensors, Buckets, Group, Sparse, int64_t, bool, bool, Names, int64_t, bool, bool>) {  // up to 2.10
    return with(false, false);
  } else {  // from 2.11 on; those after 2.11 have further flags with defaults
    static_assert(std::is_constructible_v<Reducer, Tensors, Buckets, Group, Sparse, int64_t, bool, bool, Names, int64_t, bool, bool, std::vector<int64_t>>,
                  "this libtorch's Reducer has a constructor that native/compat/c10d_version.h does not know");
    return with(false, false, std::vector<int64_t>{});
  }
}

/// A Reducer as in Python's DistributedDataParallel: one bucket of each type for the first step (its bucket_size_limits are
/// [sys.maxsize] if all parameters are used), then, at rebuild_buckets(), buckets of 1 MiB and 25 MiB in the order in which the
/// first step's gradients arrived. `buckets`, if not empty, are the first step's instead: indices of `parameters`, each once.
inline std::unique_ptr<c10d::Reducer> make_reducer(const Group& group, const std::vector<at::Tensor>& parameters, Names names, Buckets buckets = {}) {
  const std::vector<bool> sparse(parameters.size(), false);
  if (buckets.empty()) {
    buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(parameters, {std::numeric_limits<size_t>::max()}, sparse));
    std::reverse(buckets.begin(), buckets.end());
  }
  const std::vector<size_t> limits(buckets.size(), static_cast<size_t>(c10d::kDefaultBucketBytesCap));
  return construct_reducer<c10d::Reducer>(parameters, std::move(buckets), limits, group, sparse, std::move(names));
}

}  // namespace ringlab::compat
