// The loops of a batch norm's backward pass in training, with libtorch's order of additions and rounding, for eight channels at a
// time in memory order. libtorch processes one channel of all images before the next one, reads each gradient twice for its two
// sums, and handles the pixels of small maps one by one. Independent of libtorch: floats of images in NCHW order.
#pragma once

#include <cstdint>

#include "models/layers/norm_kernels.h"

namespace ringlab {

/// Roundings of libtorch that its compiler chose: is a product rounded before it is added or subtracted?
struct GradientRounding {
  bool product_once = false;  ///< (x - mean) * gradient, in the second sum
  bool input_once = false;    ///< (x - mean) * slope, in the input's gradient
};

/// Per-channel values.
struct NormStatistics {
  const float* mean = nullptr;
  const float* inverse_deviation = nullptr;
  const float* weight = nullptr;
};

/// Outputs; any of them may be nullptr.
struct NormGradients {
  float* input = nullptr;   ///< the input's size
  float* weight = nullptr;  ///< one number per channel, as the bias
  float* bias = nullptr;
};

/// Gradients of channels `first` to `last` - 1 from the `gradient` of the output, which has the size of `input`. Calls for other
/// channels may run concurrently. Only if has_norm_kernels().
void norm_gradients(const float* input, const float* gradient, const PlaneShape& shape, int64_t first, int64_t last, const NormStatistics& statistics, const GradientRounding& rounding,
                    const NormGradients& out);

}  // namespace ringlab
