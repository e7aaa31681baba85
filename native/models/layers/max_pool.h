// Max pooling of one process on the CPU: bit-identical to libtorch's values and gradients, without its branch per
// value.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ringlab {

struct PoolWindow {
  int64_t kernel = 2;  ///< pixels per side
  int64_t stride = 2;
  int64_t padding = 0;  ///< at most half of the kernel
};

/// (N, C, H, W) to (N, C, (H + 2 padding - kernel) / stride + 1, …), as torch::max_pool2d: the first of equal values counts, the
/// last of several NaNs. Other devices, types and memory formats use torch::max_pool2d. Throws c10::Error if a window does not
/// fit.
at::Tensor max_pool(const at::Tensor& input, const PoolWindow& window);

}  // namespace ringlab
