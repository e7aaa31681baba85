// The loops of a batch norm's backward pass in training, as libtorch's own add and round, eight channels after each other in the order of
// memory. libtorch goes through one channel of all pictures before the next one, reads each gradient twice for its two sums, and takes the
// pixels of small maps one by one. No libtorch here: floats of pictures in NCHW order.
#pragma once

#include "models/layers/norm_kernels.h"

namespace ringlab {

/// What of libtorch's arithmetic is its compiler's choice: is a product rounded before it is added or subtracted?
struct GradientRounding {
  bool product_once = false;  ///< (x - mean) * gradient, in the second sum
  bool input_once = false;    ///< (x - mean) * slope, in the input's gradient
};

/// Of each channel, one number a channel.
struct NormStatistics {
  const float* mean = nullptr;
  const float* inverse_deviation = nullptr;
  const float* weight = nullptr;
};

/// Where the gradients go; any of them may be nullptr.
struct NormGradients {
  float* input = nullptr;   ///< as large as the input
  float* weight = nullptr;  ///< one number a channel, as the bias
  float* bias = nullptr;
};

/// Gradients of channels `first` to `last` - 1 from the `gradient` of the output, which is as large as `input`. Calls for other channels may
/// run at the same time. Only where has_norm_kernels().
void norm_gradients(const float* input, const float* gradient, const PlaneShape& shape, int64_t first, int64_t last, const NormStatistics& statistics, const GradientRounding& rounding,
                    const NormGradients& out);

}  // namespace ringlab
