// The loops of a batch norm in training, with libtorch's additions and roundings, several channels at a time. libtorch sums a
// channel's pixels one by one in double precision, where each addition waits for the previous one; eight parallel channels hide
// that latency. Independent of libtorch: floats of images in NCHW order.
#pragma once

#include <cstdint>

namespace ringlab {

/// (N, C, H, W) floats, contiguous.
struct PlaneShape {
  int64_t images = 0;
  int64_t channels = 0;
  int64_t pixels = 0;  ///< H * W
};

/// Does this CPU support the loops (AVX2, FMA)? Otherwise nothing below may be called.
bool has_norm_kernels();

/// Of channels `first` to `last` - 1, into mean[0], squares[0] and so on: the mean, and the sum of squared differences from it.
///   mean    = float(sum of double(x) in the order of images, then pixels, / count)
///   squares = float(sum of double((x - mean) * (x - mean)) in the same order)
void channel_statistics(const float* input, const PlaneShape& shape, int64_t first, int64_t last, float* mean, float* squares);

/// output = input * alpha + beta, `fused`: rounded once.
void scale_plane(const float* input, float* output, int64_t count, float alpha, float beta, bool fused);

}  // namespace ringlab
