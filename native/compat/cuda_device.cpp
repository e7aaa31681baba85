#include "compat/cuda_device.h"

#include <ATen/Context.h>
#include <c10/util/Exception.h>

#include <utility>

#ifdef RINGLAB_CUDA_HEADERS
#include <ATen/Functions.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#endif

namespace ringlab::compat {

bool libtorch_has_cuda() { return at::Context::hasCUDA(); }

#ifdef RINGLAB_CUDA_HEADERS

std::string cuda_device_name(int index) { return at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(index))->name; }

int64_t cuda_allocated_bytes(int index) {
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(index));
  return stats.allocated_bytes[0].current;  // 0: over all pools
}

struct HostCopy::Copied {
  at::cuda::CUDAEvent event;
};

HostCopy::HostCopy(at::Tensor values) : values_(std::move(values)) {
  if (!values_.is_cuda()) return;
  const at::Tensor device = std::exchange(values_, at::empty(values_.sizes(), values_.options().device(at::kCPU).pinned_memory(true)));
  values_.copy_(device, /*non_blocking=*/true);
  copied_ = std::make_unique<Copied>();
  copied_->event.record();
}

at::Tensor HostCopy::get() const {
  if (copied_) copied_->event.synchronize();
  return values_;
}

namespace {

/// In these steps kernels are chosen (cuDNN's search) and lazy buffers allocated, before recording.
constexpr int kWarmUpSteps = 3;

}  // namespace

struct StepGraph::State {
  at::cuda::CUDAStream stream = at::cuda::getStreamFromPool();
  at::cuda::CUDAGraph graph;
  int runs = 0;
};

bool StepGraph::available() { return true; }

StepGraph::StepGraph() : state_(std::make_unique<State>()) {}
StepGraph::~StepGraph() = default;

void StepGraph::run(const std::function<void()>& body) {
  const auto current = at::cuda::getCurrentCUDAStream();
  if (state_->runs > kWarmUpSteps) {
    state_->graph.replay();
    return;
  }
  // Recording needs a non-default stream; the steps before use it, too, so that the allocator's cached memory belongs
  // to that stream.
  current.synchronize();
  {
    const c10::cuda::CUDAStreamGuard guard(state_->stream);
    if (state_->runs < kWarmUpSteps) {
      body();
    } else {
      state_->graph.capture_begin();
      body();
      state_->graph.capture_end();
      state_->graph.replay();
    }
  }
  state_->stream.synchronize();
  ++state_->runs;
}

#else

std::string cuda_device_name(int) { return ""; }
int64_t cuda_allocated_bytes(int) { return -1; }

struct HostCopy::Copied {};

HostCopy::HostCopy(at::Tensor values) : values_(std::move(values)) {}
at::Tensor HostCopy::get() const { return values_.to(at::kCPU); }

struct StepGraph::State {};

bool StepGraph::available() { return false; }
StepGraph::StepGraph() = default;
StepGraph::~StepGraph() = default;
void StepGraph::run(const std::function<void()>&) { TORCH_CHECK(false, "this build has no CUDA graphs"); }

#endif

HostCopy::HostCopy(HostCopy&&) noexcept = default;
HostCopy& HostCopy::operator=(HostCopy&&) noexcept = default;
HostCopy::~HostCopy() = default;

}  // namespace ringlab::compat
