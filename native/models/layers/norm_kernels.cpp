#include "models/layers/norm_kernels.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)

#include <immintrin.h>

namespace ringlab {
namespace {

#define RINGLAB_AVX2 __attribute__((target("avx2")))
#define RINGLAB_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline

constexpr int64_t kLanes = 8;

/// The first `count` (1 to 8) lanes.
RINGLAB_AVX2_INLINE __m256i first_lanes(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/// Transposes rows of eight pixels of a channel into rows of eight channels of a pixel.
RINGLAB_AVX2_INLINE void transpose(__m256 (&r)[kLanes]) {
  __m256 pairs[kLanes];
#pragma GCC unroll 8
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    pairs[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
  __m256 fours[kLanes];
#pragma GCC unroll 8
  for (int half = 0; half < 8; half += 4) {
    fours[half] = _mm256_shuffle_ps(pairs[half], pairs[half + 2], 0x44);
    fours[half + 1] = _mm256_shuffle_ps(pairs[half], pairs[half + 2], 0xEE);
    fours[half + 2] = _mm256_shuffle_ps(pairs[half + 1], pairs[half + 3], 0x44);
    fours[half + 3] = _mm256_shuffle_ps(pairs[half + 1], pairs[half + 3], 0xEE);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
    r[i + 4] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
  }
}

/// One sum per channel, in double precision.
struct EightSums {
  __m256d lower;
  __m256d upper;
};

RINGLAB_AVX2_INLINE void add(EightSums& sums, __m256 values) {
  sums.lower = _mm256_add_pd(sums.lower, _mm256_cvtps_pd(_mm256_castps256_ps128(values)));
  sums.upper = _mm256_add_pd(sums.upper, _mm256_cvtps_pd(_mm256_extractf128_ps(values, 1)));
}

/// Adds up the pixels of eight channels; with `squared` their squared differences from `mean`.
template <bool squared>
RINGLAB_AVX2_INLINE EightSums sum_channels(const float* const (&rows)[kLanes], const PlaneShape& shape, __m256 mean) {
  EightSums sums{_mm256_setzero_pd(), _mm256_setzero_pd()};
  const auto take = [&](__m256 values) __attribute__((target("avx2"), always_inline)) {
    if constexpr (squared) {
      const __m256 off = _mm256_sub_ps(values, mean);
      values = _mm256_mul_ps(off, off);
    }
    add(sums, values);
  };
  const int64_t whole = shape.pixels / kLanes * kLanes;
  const __m256i rest = first_lanes(shape.pixels - whole);
  for (int64_t n = 0; n < shape.images; ++n) {
    const int64_t image = n * shape.channels * shape.pixels;
    __m256 r[kLanes];
    for (int64_t i = 0; i < whole; i += kLanes) {
#pragma GCC unroll 8
      for (int k = 0; k < kLanes; ++k) r[k] = _mm256_loadu_ps(rows[k] + image + i);
      transpose(r);
#pragma GCC unroll 8
      for (int k = 0; k < kLanes; ++k) take(r[k]);
    }
    if (whole == shape.pixels) continue;
#pragma GCC unroll 8
    for (int k = 0; k < kLanes; ++k) r[k] = _mm256_maskload_ps(rows[k] + image + whole, rest);
    transpose(r);
    for (int k = 0; k < shape.pixels - whole; ++k) take(r[k]);
  }
  return sums;
}

RINGLAB_AVX2_INLINE void store(const EightSums& sums, double (&out)[kLanes]) {
  _mm256_storeu_pd(out, sums.lower);
  _mm256_storeu_pd(out + 4, sums.upper);
}

RINGLAB_AVX2 void statistics_of_eight(const float* const (&rows)[kLanes], const PlaneShape& shape, float (&mean)[kLanes], float (&squares)[kLanes]) {
  const int64_t count = shape.images * shape.pixels;
  double sums[kLanes];
  store(sum_channels<false>(rows, shape, _mm256_setzero_ps()), sums);
  for (int k = 0; k < kLanes; ++k) mean[k] = static_cast<float>(sums[k] / static_cast<double>(count));
  store(sum_channels<true>(rows, shape, _mm256_loadu_ps(mean)), sums);
  for (int k = 0; k < kLanes; ++k) squares[k] = static_cast<float>(sums[k]);
}

/// Without FMA in the target the compiler cannot contract products that must be rounded twice.
RINGLAB_AVX2 void scale_rounding_twice(const float* input, float* output, int64_t count, float alpha, float beta) {
  const __m256 a = _mm256_set1_ps(alpha);
  const __m256 b = _mm256_set1_ps(beta);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) _mm256_storeu_ps(output + i, _mm256_add_ps(_mm256_mul_ps(_mm256_loadu_ps(input + i), a), b));
  if (i == count) return;
  const __m256i rest = first_lanes(count - i);
  _mm256_maskstore_ps(output + i, rest, _mm256_add_ps(_mm256_mul_ps(_mm256_maskload_ps(input + i, rest), a), b));
}

__attribute__((target("avx2,fma"))) void scale_rounding_once(const float* input, float* output, int64_t count, float alpha, float beta) {
  const __m256 a = _mm256_set1_ps(alpha);
  const __m256 b = _mm256_set1_ps(beta);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) _mm256_storeu_ps(output + i, _mm256_fmadd_ps(_mm256_loadu_ps(input + i), a, b));
  if (i == count) return;
  const __m256i rest = first_lanes(count - i);
  _mm256_maskstore_ps(output + i, rest, _mm256_fmadd_ps(_mm256_maskload_ps(input + i, rest), a, b));
}

}  // namespace

bool has_norm_kernels() {
  static const bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return supported;
}

void channel_statistics(const float* input, const PlaneShape& shape, int64_t first, int64_t last, float* mean, float* squares) {
  for (int64_t c = first; c < last; c += kLanes) {
    const float* rows[kLanes];
    // If fewer than eight channels are left, the last one is repeated in the unused lanes.
    for (int64_t k = 0; k < kLanes; ++k) rows[k] = input + std::min(c + k, last - 1) * shape.pixels;
    float means[kLanes];
    float sums[kLanes];
    statistics_of_eight(rows, shape, means, sums);
    const int64_t count = std::min(kLanes, last - c);
    std::copy_n(means, count, mean + (c - first));
    std::copy_n(sums, count, squares + (c - first));
  }
}

void scale_plane(const float* input, float* output, int64_t count, float alpha, float beta, bool fused) {
  fused ? scale_rounding_once(input, output, count, alpha, beta) : scale_rounding_twice(input, output, count, alpha, beta);
}

}  // namespace ringlab

#else

namespace ringlab {

bool has_norm_kernels() { return false; }
void channel_statistics(const float*, const PlaneShape&, int64_t, int64_t, float*, float*) {}
void scale_plane(const float*, float*, int64_t, float, float, bool) {}

}  // namespace ringlab

#endif
