#include "data/resize.h"

#include <algorithm>
#include <cmath>

namespace ringlab {
namespace {

constexpr int kPrecision = 32 - 8 - 2;  // Pillow's PRECISION_BITS

/// For each output pixel the first input pixel, and the fixed-point weights from there on.
struct Filter {
  int taps = 0;
  std::vector<int> first;
  std::vector<int> count;
  std::vector<int> weights;  ///< taps a pixel
};

Filter triangle_filter(int input_size, double from, double to, int output_size) {
  const double scale = (to - from) / output_size;
  const double filter_scale = std::max(scale, 1.0);
  const double support = filter_scale;
  Filter filter;
  filter.taps = static_cast<int>(std::ceil(support)) * 2 + 1;
  filter.first.resize(static_cast<size_t>(output_size));
  filter.count.resize(static_cast<size_t>(output_size));
  filter.weights.assign(static_cast<size_t>(output_size) * static_cast<size_t>(filter.taps), 0);
  std::vector<double> row(static_cast<size_t>(filter.taps));
  for (int i = 0; i < output_size; ++i) {
    const double center = from + (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(center - support + 0.5));
    const int last = std::min(input_size, static_cast<int>(center + support + 0.5));
    const int count = std::min(last - first, filter.taps);
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      const double distance = std::abs((k + first - center + 0.5) / filter_scale);
      row[static_cast<size_t>(k)] = distance < 1 ? 1 - distance : 0;
      sum += row[static_cast<size_t>(k)];
    }
    for (int k = 0; k < count; ++k) {
      const double weight = sum != 0 ? row[static_cast<size_t>(k)] / sum : 0;
      filter.weights[static_cast<size_t>(i) * static_cast<size_t>(filter.taps) + static_cast<size_t>(k)] =
          static_cast<int>(0.5 + weight * (1 << kPrecision));
    }
    filter.first[static_cast<size_t>(i)] = first;
    filter.count[static_cast<size_t>(i)] = count;
  }
  return filter;
}

uint8_t clip(int value) { return static_cast<uint8_t>(std::clamp(value >> kPrecision, 0, 255)); }

}  // namespace

Image resize_bilinear(ImageView source, int width, int height, const Box& box) {
  const Filter across = triangle_filter(source.width, box.left, box.right, width);
  const Filter down = triangle_filter(source.height, box.top, box.bottom, height);
  const int first_row = down.first.front();
  const int last_row = down.first.back() + down.count.back();
  std::vector<uint8_t> middle(size_t{3} * static_cast<size_t>(width) * static_cast<size_t>(std::max(0, last_row - first_row)));
  constexpr int kHalf = 1 << (kPrecision - 1);
  const auto source_stride = static_cast<size_t>(source.width) * 3;
  const auto stride = static_cast<size_t>(width) * 3;
  for (int y = first_row; y < last_row; ++y) {
    const uint8_t* in = source.rgb + static_cast<size_t>(y) * source_stride;
    uint8_t* out = middle.data() + static_cast<size_t>(y - first_row) * stride;
    for (int x = 0; x < width; ++x) {
      const int* weights = across.weights.data() + static_cast<size_t>(x) * static_cast<size_t>(across.taps);
      const uint8_t* pixel = in + static_cast<size_t>(across.first[static_cast<size_t>(x)]) * 3;
      int sum[3] = {kHalf, kHalf, kHalf};
      for (int k = 0; k < across.count[static_cast<size_t>(x)]; ++k, pixel += 3) {
        for (int c = 0; c < 3; ++c) sum[c] += pixel[c] * weights[k];
      }
      for (int c = 0; c < 3; ++c) *out++ = clip(sum[c]);
    }
  }
  Image image;
  image.width = width;
  image.height = height;
  image.rgb.resize(stride * static_cast<size_t>(height));
  std::vector<int> sums(stride);
  for (int y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), kHalf);
    const int* weights = down.weights.data() + static_cast<size_t>(y) * static_cast<size_t>(down.taps);
    for (int k = 0; k < down.count[static_cast<size_t>(y)]; ++k) {
      const uint8_t* row = middle.data() + static_cast<size_t>(down.first[static_cast<size_t>(y)] - first_row + k) * stride;
      const int weight = weights[k];
      for (size_t i = 0; i < stride; ++i) sums[i] += row[i] * weight;
    }
    uint8_t* out = image.rgb.data() + static_cast<size_t>(y) * stride;
    for (size_t i = 0; i < stride; ++i) out[i] = clip(sums[i]);
  }
  return image;
}

}  // namespace ringlab
