// The loops of a batch norm in training, as libtorch's own add and round, several channels at a time. libtorch adds up a channel's
// pixels one after the other in double precision, where each addition waits for the one before; eight channels beside each other wait
// together. No libtorch here: floats of pictures in NCHW order.
#pragma once

#include <cstdint>

namespace ringlab {

/// (N, C, H, W) floats, contiguous.
struct PlaneShape {
  int64_t pictures = 0;
  int64_t channels = 0;
  int64_t pixels = 0;  ///< H * W
};

/// Has this CPU what the loops need (AVX2, FMA)? Nothing below may be called without.
bool has_norm_kernels();

/// Of channels `first` to `last` - 1, into mean[0], squares[0] and so on: the mean, and the sum of squared differences from it.
///   mean    = float(sum of double(x) in the order of pictures, then pixels, / count)
///   squares = float(sum of double((x - mean) * (x - mean)) in the same order)
void channel_statistics(const float* input, const PlaneShape& shape, int64_t first, int64_t last, float* mean, float* squares);

/// output = input * alpha + beta, `fused`: rounded once.
void scale_plane(const float* input, float* output, int64_t count, float alpha, float beta, bool fused);

}  // namespace ringlab
