#include "models/layers/norm_gradients.h"

#include <algorithm>

#if defined(__x86_64__)

#include <immintrin.h>

namespace ringlab {
namespace {

#define RINGLAB_FMA __attribute__((target("avx2,fma")))
#define RINGLAB_FMA_INLINE __attribute__((target("avx2,fma"), always_inline)) inline

constexpr int64_t kLanes = 8;
constexpr int64_t kGroup = 8;

/// One plane's part of a channel's two sums.
struct PlaneSums {
  float gradient;
  float product;
};

struct Channel {
  float mean;
  float inverse_deviation;
  float weight;
  double gradient = 0;
  double product = 0;
};

/// a * b + c, rounded once or twice. The empty assembly prevents the compiler from contracting it to an FMA.
template <bool once>
RINGLAB_FMA_INLINE __m256 multiply_add(__m256 a, __m256 b, __m256 c) {
  if constexpr (once) return _mm256_fmadd_ps(a, b, c);
  __m256 product = _mm256_mul_ps(a, b);
  asm("" : "+x"(product));
  return _mm256_add_ps(c, product);
}

/// c - a * b, rounded once or twice.
template <bool once>
RINGLAB_FMA_INLINE __m256 subtract_product(__m256 a, __m256 b, __m256 c) {
  if constexpr (once) return _mm256_fnmadd_ps(a, b, c);
  __m256 product = _mm256_mul_ps(a, b);
  asm("" : "+x"(product));
  return _mm256_sub_ps(c, product);
}

RINGLAB_FMA_INLINE __m256i first_lanes(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/// The lanes' sum in libtorch's order: halves, then pairs of pairs, then pairs.
RINGLAB_FMA_INLINE float sum_of_lanes(__m256 v) {
  v = _mm256_add_ps(v, _mm256_permute2f128_ps(v, v, 0x1));
  v = _mm256_add_ps(v, _mm256_shuffle_ps(v, v, 0x4E));
  v = _mm256_add_ps(v, _mm256_shuffle_ps(v, v, 0xB1));
  return _mm256_cvtss_f32(v);
}

/// Fewer pixels than a vector: scalar loop.
RINGLAB_FMA_INLINE PlaneSums sum_few(const float* x, const float* dy, int64_t count, float mean) {
  float product = (x[0] - mean) * dy[0];
  PlaneSums sums{dy[0], product};
  for (int64_t i = 1; i < count; ++i) {
    product = (x[i] - mean) * dy[i];
    asm("" : "+x"(product));  // libtorch computes all products before adding them
    sums.gradient += dy[i];
    sums.product += product;
  }
  return sums;
}

template <bool once>
RINGLAB_FMA_INLINE PlaneSums sum_plane(const float* x, const float* dy, int64_t count, float mean) {
  if (count < kLanes) return sum_few(x, dy, count, mean);
  const __m256 means = _mm256_set1_ps(mean);
  __m256 gradients = _mm256_loadu_ps(dy);
  __m256 products = _mm256_mul_ps(_mm256_sub_ps(_mm256_loadu_ps(x), means), gradients);
  asm("" : "+x"(products));
  int64_t i = kLanes;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256 from = _mm256_loadu_ps(dy + i);
    gradients = _mm256_add_ps(gradients, from);
    products = multiply_add<once>(_mm256_sub_ps(_mm256_loadu_ps(x + i), means), from, products);
  }
  if (i < count) {
    const __m256i rest = first_lanes(count - i);
    const __m256 chosen = _mm256_castsi256_ps(rest);
    const __m256 from = _mm256_maskload_ps(dy + i, rest);
    gradients = _mm256_blendv_ps(gradients, _mm256_add_ps(gradients, from), chosen);
    products = _mm256_blendv_ps(products, multiply_add<once>(_mm256_sub_ps(_mm256_maskload_ps(x + i, rest), means), from, products), chosen);
  }
  return {sum_of_lanes(gradients), sum_of_lanes(products)};
}

struct Slope {
  float mean;
  float slope;
  float gradient_mean;
  float inverse_deviation;
  float weight;
};

template <bool once>
RINGLAB_FMA_INLINE __m256 input_gradient(__m256 x, __m256 dy, const Slope& s) {
  const __m256 level = _mm256_sub_ps(dy, _mm256_set1_ps(s.gradient_mean));
  const __m256 rest = subtract_product<once>(_mm256_sub_ps(x, _mm256_set1_ps(s.mean)), _mm256_set1_ps(s.slope), level);
  return _mm256_mul_ps(_mm256_mul_ps(rest, _mm256_set1_ps(s.inverse_deviation)), _mm256_set1_ps(s.weight));
}

template <bool once>
RINGLAB_FMA_INLINE void write_plane(const float* x, const float* dy, float* dx, int64_t count, const Slope& s) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) _mm256_storeu_ps(dx + i, input_gradient<once>(_mm256_loadu_ps(x + i), _mm256_loadu_ps(dy + i), s));
  if (i == count) return;
  const __m256i rest = first_lanes(count - i);
  _mm256_maskstore_ps(dx + i, rest, input_gradient<once>(_mm256_maskload_ps(x + i, rest), _mm256_maskload_ps(dy + i, rest), s));
}

template <bool product_once, bool input_once>
RINGLAB_FMA void gradients_of_group(const float* input, const float* gradient, const PlaneShape& shape, int64_t first, int64_t last, const NormStatistics& statistics, const NormGradients& out) {
  Channel channels[kGroup];
  const int64_t count = last - first;
  for (int64_t c = 0; c < count; ++c) channels[c] = {statistics.mean[first + c], statistics.inverse_deviation[first + c], statistics.weight[first + c]};
  for (int64_t n = 0; n < shape.images; ++n) {
    for (int64_t c = 0; c < count; ++c) {
      const int64_t at = (n * shape.channels + first + c) * shape.pixels;
      const PlaneSums sums = sum_plane<product_once>(input + at, gradient + at, shape.pixels, channels[c].mean);
      channels[c].gradient += sums.gradient;
      channels[c].product += sums.product;
    }
  }
  for (int64_t c = 0; c < count; ++c) {
    if (out.weight != nullptr) out.weight[first + c] = static_cast<float>(channels[c].product * channels[c].inverse_deviation);
    if (out.bias != nullptr) out.bias[first + c] = static_cast<float>(channels[c].gradient);
  }
  if (out.input == nullptr) return;
  Slope slopes[kGroup];
  const int64_t pixels = shape.images * shape.pixels;
  for (int64_t c = 0; c < count; ++c) {
    const Channel& own = channels[c];
    const float slope = static_cast<float>(own.product) * own.inverse_deviation * own.inverse_deviation / static_cast<float>(pixels);
    slopes[c] = {own.mean, slope, static_cast<float>(own.gradient / static_cast<double>(pixels)), own.inverse_deviation, own.weight};
  }
  for (int64_t n = 0; n < shape.images; ++n) {
    for (int64_t c = 0; c < count; ++c) {
      const int64_t at = (n * shape.channels + first + c) * shape.pixels;
      write_plane<input_once>(input + at, gradient + at, out.input + at, shape.pixels, slopes[c]);
    }
  }
}

/// As many channels together as stay in the cache for the second pass.
int64_t group_size(const PlaneShape& shape) {
  constexpr int64_t kCachedFloats = 1 << 16;
  return std::clamp<int64_t>(kCachedFloats / (2 * shape.images * shape.pixels), 1, kGroup);
}

}  // namespace

void norm_gradients(const float* input, const float* gradient, const PlaneShape& shape, int64_t first, int64_t last, const NormStatistics& statistics, const GradientRounding& rounding,
                    const NormGradients& out) {
  const auto compute = rounding.product_once ? (rounding.input_once ? gradients_of_group<true, true> : gradients_of_group<true, false>)
                                             : (rounding.input_once ? gradients_of_group<false, true> : gradients_of_group<false, false>);
  const int64_t group = group_size(shape);
  for (int64_t c = first; c < last; c += group) compute(input, gradient, shape, c, std::min(c + group, last), statistics, out);
}

}  // namespace ringlab

#else

namespace ringlab {

void norm_gradients(const float*, const float*, const PlaneShape&, int64_t, int64_t, const NormStatistics&, const GradientRounding&, const NormGradients&) {}

}  // namespace ringlab

#endif
