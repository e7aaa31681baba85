#include "data/pixels/pixel_kernels.h"

#include <algorithm>

namespace ringlab {
namespace {

constexpr int32_t kHalf = 1 << (kWeightBits - 1);
constexpr int kLowBits = 14;

uint8_t clip(int32_t value) { return static_cast<uint8_t>(std::clamp(value >> kWeightBits, 0, 255)); }

void across(const FilterTable& filter, const uint8_t* rgb, uint8_t* rgbx) {
  const size_t taps = size_t{4} * static_cast<size_t>(filter.blocks);
  for (size_t x = 0; x < filter.size(); ++x, rgbx += 4) {
    const int32_t* weights = filter.weights.data() + x * taps;
    const uint8_t* pixel = rgb + 3 * static_cast<size_t>(filter.first[x]);
    int32_t sums[3] = {kHalf, kHalf, kHalf};
    for (int k = 0; k < filter.count[x]; ++k, pixel += 3) {
      for (int c = 0; c < 3; ++c) sums[c] += pixel[c] * weights[k];
    }
    for (int c = 0; c < 3; ++c) rgbx[c] = clip(sums[c]);
    rgbx[3] = 0;
  }
}

void down(const uint8_t* rows, size_t stride, const int32_t* weights, int count, size_t bytes, uint8_t* out) {
  constexpr size_t kPiece = 64;
  for (size_t from = 0; from < bytes; from += kPiece) {
    const size_t piece = std::min(kPiece, bytes - from);
    int32_t sums[kPiece];
    std::fill(sums, sums + kPiece, kHalf);
    for (int k = 0; k < count; ++k) {
      const uint8_t* row = rows + static_cast<size_t>(k) * stride + from;
      for (size_t i = 0; i < piece; ++i) sums[i] += row[i] * weights[k];
    }
    for (size_t i = 0; i < piece; ++i) out[from + i] = clip(sums[i]);
  }
}

void to_colours(const uint8_t* rgbx, size_t count, const Channel channels[3], float* out, size_t plane) {
  for (size_t c = 0; c < 3; ++c) {
    for (size_t i = 0; i < count; ++i) out[c * plane + i] = channels[c].values[rgbx[4 * i + c]];
  }
}

}  // namespace

size_t FilterTable::bytes_touched() const {
  size_t last = 0;
  for (const int32_t pixel : first) last = std::max(last, static_cast<size_t>(pixel));
  return 3 * last + size_t{12} * static_cast<size_t>(blocks) + 4;
}

void split_weights(FilterTable& filter) {
  filter.split.resize(filter.weights.size() * 8);
  int16_t* out = filter.split.data();
  for (size_t block = 0; block < filter.weights.size(); block += 4, out += 32) {
    for (size_t i = 0; i < 16; ++i) {
      const int32_t weight = filter.weights[block + (i / 8) * 2 + i % 2];
      out[i] = static_cast<int16_t>(weight >> kLowBits);
      out[16 + i] = static_cast<int16_t>(weight & ((1 << kLowBits) - 1));
    }
  }
}

Channel::Channel(float channel_mean, float channel_deviation) : mean(channel_mean), deviation(channel_deviation) {
  for (int level = 0; level < 256; ++level) values[level] = (static_cast<float>(level) / 255.0F - mean) / deviation;
}

const PixelKernels& plain_kernels() {
  static constexpr PixelKernels kernels{across, down, to_colours};
  return kernels;
}

const PixelKernels& pixel_kernels() {
  static const PixelKernels& fastest = avx2_kernels() != nullptr ? *avx2_kernels() : plain_kernels();
  return fastest;
}

}  // namespace ringlab
