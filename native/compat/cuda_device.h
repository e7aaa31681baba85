// CUDA functions that need its headers. In builds without them (a libtorch for the CPU, or for CUDA without the
// toolkit's headers) they return 'unknown'; training on the GPU still works.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ringlab::compat {

/// Was this libtorch built for CUDA?
bool libtorch_has_cuda();

/// "" if unknown.
std::string cuda_device_name(int index);

/// Bytes allocated by libtorch's allocator on the device; -1 if unknown.
int64_t cuda_allocated_bytes(int index);

/// A small tensor's values on the host, without waiting for what its device is given after it. On a CPU, and in builds without CUDA's headers, the tensor itself is read.
class HostCopy {
 public:
  /// Queues the copy on the current stream.
  explicit HostCopy(at::Tensor values);
  HostCopy(HostCopy&&) noexcept;
  HostCopy& operator=(HostCopy&&) noexcept;
  ~HostCopy();
  /// Waits for the copy. The result is on the CPU.
  at::Tensor get() const;

 private:
  struct Copied;  ///< an event of the device's stream
  at::Tensor values_;
  std::unique_ptr<Copied> copied_;
};

/// A step whose kernels are recorded once and then launched as a whole: a CUDA graph. Tensors that `body` reads and
/// writes must keep their addresses in every call (fill the input tensors in place), and it must not wait for the
/// device.
class StepGraph {
 public:
  /// Does this build support recording?
  static bool available();

  StepGraph();
  ~StepGraph();
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  /// The first calls run `body` directly, so that libraries choose their kernels; one call records it; all later ones
  /// replay. Throws c10::Error if available() is false or `body` cannot be recorded.
  void run(const std::function<void()>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringlab::compat
