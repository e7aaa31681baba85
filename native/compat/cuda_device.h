// What of CUDA needs its own headers. Where the build has none (a libtorch for the CPU, or one for CUDA without the CUDA
// toolkit's headers beside it) these say that they do not know, and training on the GPU still works.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ringlab::compat {

/// Was this libtorch built for CUDA?
bool libtorch_has_cuda();

/// "" where unknown.
std::string cuda_device_name(int index);

/// Bytes that libtorch's allocator has given out on the device; -1 where unknown.
int64_t cuda_allocated_bytes(int index);

/// A step whose kernels are recorded once and then started as a whole: a CUDA graph. What `body` reads and writes must
/// stay at the same addresses from call to call (fill the input tensors in place), and it must not wait for the device.
class StepGraph {
 public:
  /// Can this build record?
  static bool available();

  StepGraph();
  ~StepGraph();
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  /// The first calls run `body` as it is, which lets libraries choose their kernels; one records it; all later ones replay.
  /// Throws c10::Error where available() is false or where `body` cannot be recorded.
  void run(const std::function<void()>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringlab::compat
