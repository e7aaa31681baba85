// The inner loops of image loading: portable ones, and ones for processors with AVX2 and FMA with bit-identical results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringlab {

/// Pillow's PRECISION_BITS: weights are integers, in units of 2^-22.
constexpr int kWeightBits = 32 - 8 - 2;

/// A resampling filter in one direction: output pixel i is the weighted sum of count[i] source pixels from first[i] on.
struct FilterTable {
  int blocks = 1;                ///< each output pixel has 4 * blocks weights, zeros after the first count[i]
  std::vector<int32_t> first;
  std::vector<int32_t> count;
  std::vector<int32_t> weights;  ///< at most 2^22, and their sum, too, except for rounding
  /// The same for AVX2: of every block 16 times the upper bits (>> 14) and 16 times the lower 14: weights 0 1 0 1 0 1 0 1
  /// 2 3 2 3 2 3 2 3. Set by split_weights().
  std::vector<int16_t> split;

  size_t size() const { return first.size(); }
  /// Bytes that a kernel may read beyond the end of an RGB row.
  size_t bytes_touched() const;
};

void split_weights(FilterTable& filter);

/// (level / 255 - mean) / deviation in float, as computed by torchvision's ToTensor and Normalize.
struct Channel {
  float mean = 0;
  float deviation = 1;
  float values[256] = {};  ///< of all levels

  Channel(float channel_mean, float channel_deviation);
};

/// Rows between the kernels have four bytes per pixel: red, green, blue and an undefined one.
struct PixelKernels {
  /// One row of RGB pixels resampled along x. Reads filter.bytes_touched() bytes.
  void (*across)(const FilterTable& filter, const uint8_t* rgb, uint8_t* rgbx);
  /// out[i] = sum over k < count of weights[k] * rows[k * stride + i], rounded and shifted; `bytes` is a multiple of 4.
  void (*down)(const uint8_t* rows, size_t stride, const int32_t* weights, int count, size_t bytes, uint8_t* out);
  /// Red, green and blue of `count` pixels as floats to `out`, `out + plane` and `out + 2 * plane`.
  void (*to_colours)(const uint8_t* rgbx, size_t count, const Channel channels[3], float* out, size_t plane);
};

const PixelKernels& plain_kernels();
/// Null if the processor, or the compiler's target, does not support them.
const PixelKernels* avx2_kernels();
/// The fastest ones for this processor.
const PixelKernels& pixel_kernels();

}  // namespace ringlab
