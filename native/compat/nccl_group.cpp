// NCCL's process group, where libtorch was built with it.
#include "compat/c10d_version.h"

#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <chrono>
#endif

namespace ringlab::compat {

#ifdef USE_C10D_NCCL

bool has_nccl() { return true; }

Group nccl_group(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, std::chrono::milliseconds timeout) {
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  auto nccl = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, options);
#if TORCH_VERSION_MAJOR >= 2
  auto group = c10::make_intrusive<c10d::ProcessGroup>(rank, size);
  group->setBackend(c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL, c10::intrusive_ptr<c10d::Backend>(nccl));
  return group;
#else
  return nccl;
#endif
}

void end_nccl([[maybe_unused]] const Group& group) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2)
  if (auto* nccl = dynamic_cast<c10d::ProcessGroupNCCL*>(group->getBackend(c10::DeviceType::CUDA).get())) nccl->shutdown();
#endif
}

#else

bool has_nccl() { return false; }

void end_nccl(const Group&) {}

Group nccl_group(const c10::intrusive_ptr<c10d::Store>&, int, int, std::chrono::milliseconds) { TORCH_CHECK(false, "this build's libtorch has no NCCL"); }

#endif

}  // namespace ringlab::compat
