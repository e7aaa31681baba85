// The differences between libtorch's versions in c10d, in one place. Written against 1.13.1.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <torch/version.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringlab::compat {

#if TORCH_VERSION_MAJOR != 1
#error "native/compat/ is written for libtorch 1.13: the trainer's own issue adds 2.x (ProcessGroup::setBackend, the Reducer's longer constructor)"
#endif

/// What the Reducer and the coalesced broadcast take: in 1.13 the Gloo group itself.
inline c10::intrusive_ptr<c10d::ProcessGroup> process_group(const c10::intrusive_ptr<c10d::ProcessGroupGloo>& group) { return group; }

inline void verify_parameters(const c10::intrusive_ptr<c10d::ProcessGroupGloo>& group, const std::vector<at::Tensor>& parameters) {
  c10d::verify_params_across_processes(process_group(group), parameters, {});
}

/// A Reducer as Python's DistributedDataParallel makes it: buckets of 1 MiB and then 25 MiB, last layers first.
inline std::unique_ptr<c10d::Reducer> make_reducer(const c10::intrusive_ptr<c10d::ProcessGroupGloo>& group, const std::vector<at::Tensor>& parameters,
                                                   std::unordered_map<size_t, std::string> names) {
  const std::vector<bool> sparse(parameters.size(), false);
  auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(
      parameters, {static_cast<size_t>(c10d::kDefaultFirstBucketBytes), static_cast<size_t>(c10d::kDefaultBucketBytesCap)}, sparse);
  std::vector<std::vector<size_t>> reversed_buckets(buckets.rbegin(), buckets.rend());
  std::vector<size_t> reversed_limits(limits.rbegin(), limits.rend());
  return std::make_unique<c10d::Reducer>(parameters, std::move(reversed_buckets), std::move(reversed_limits), process_group(group), sparse,
                                         c10d::kDefaultBucketBytesCap, /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/true,
                                         std::move(names), c10d::kDefaultFirstBucketBytes);
}

}  // namespace ringlab::compat
