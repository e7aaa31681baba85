// The loops over pixels that loading pictures spends its time in: plain ones, and ones for processors with AVX2 and FMA that
// compute the same to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringlab {

/// Pillow's PRECISION_BITS: weights are integers, in units of 2^-22.
constexpr int kWeightBits = 32 - 8 - 2;

/// What resampling along one direction takes: output pixel i is the weighted sum of count[i] source pixels from first[i] on.
struct FilterTable {
  int blocks = 1;                ///< each output pixel has 4 * blocks weights, zeros behind the first count[i]
  std::vector<int32_t> first;
  std::vector<int32_t> count;
  std::vector<int32_t> weights;  ///< at most 2^22, their sum too but for rounding
  /// The same for AVX2, of every block 16 times the upper bits (>> 14) and 16 times the lower 14: weights 0 1 0 1 0 1 0 1
  /// 2 3 2 3 2 3 2 3. Filled by split_weights().
  std::vector<int16_t> split;

  size_t size() const { return first.size(); }
  /// Bytes of an RGB row that a kernel may touch, more than the row has.
  size_t bytes_touched() const;
};

void split_weights(FilterTable& filter);

/// (level / 255 - mean) / deviation in float, as torchvision's ToTensor and Normalize compute it.
struct Channel {
  float mean = 0;
  float deviation = 1;
  float values[256] = {};  ///< of all levels

  Channel(float channel_mean, float channel_deviation);
};

/// Rows between the kernels hold four bytes a pixel: red, green, blue and one of no meaning.
struct PixelKernels {
  /// One row of RGB pixels resampled along x. Reads filter.bytes_touched() bytes.
  void (*across)(const FilterTable& filter, const uint8_t* rgb, uint8_t* rgbx);
  /// out[i] = sum over k < count of weights[k] * rows[k * stride + i], rounded and shifted; `bytes` is a multiple of 4.
  void (*down)(const uint8_t* rows, size_t stride, const int32_t* weights, int count, size_t bytes, uint8_t* out);
  /// Red, green and blue of `count` pixels as floats to `out`, `out + plane` and `out + 2 * plane`.
  void (*to_colours)(const uint8_t* rgbx, size_t count, const Channel channels[3], float* out, size_t plane);
};

const PixelKernels& plain_kernels();
/// Null where the processor, or the compiler's target, lacks what they need.
const PixelKernels* avx2_kernels();
/// The fastest that this processor has.
const PixelKernels& pixel_kernels();

}  // namespace ringlab
