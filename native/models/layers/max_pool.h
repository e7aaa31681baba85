// Max pooling of one process on the CPU: libtorch's values and gradients to the bit, without its branch for each value.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ringlab {

struct PoolWindow {
  int64_t kernel = 2;  ///< pixels each way
  int64_t stride = 2;
  int64_t padding = 0;  ///< at most half of the kernel
};

/// (N, C, H, W) to (N, C, (H + 2 padding - kernel) / stride + 1, …), as torch::max_pool2d: of equal values the first counts, the last of
/// several NaNs. Other devices, types and orders of memory are torch::max_pool2d's own. Throws c10::Error where a window does not fit.
at::Tensor max_pool(const at::Tensor& input, const PoolWindow& window);

}  // namespace ringlab
