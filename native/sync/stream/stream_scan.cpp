#include "sync/stream/stream_scan.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ringlab {
namespace {

/// Squares of so many values are added in float.
constexpr int64_t kBlock = 4096;

double scan_each(const Difference& difference, int64_t from, float threshold, uint32_t first, LargeValues& found) {
  double energy = 0;
  for (int64_t i = from; i < difference.count; ++i) {
    const float value = difference.at(i);
    energy += static_cast<double>(value * value);
    if (std::fabs(value) < threshold) continue;
    found.places.push_back(first + static_cast<uint32_t>(i));
    found.values.push_back(value);
  }
  return energy;
}

#if defined(__x86_64__)

#define RINGLAB_AVX2 __attribute__((target("avx2,fma")))

constexpr int64_t kLanes = 8;
constexpr int64_t kMask = 32;  ///< values whose comparisons make one word

template <bool subtracts>
RINGLAB_AVX2 double scan_blocks(const Difference& difference, float threshold, uint32_t first, LargeValues& found) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  const __m256 limit = _mm256_set1_ps(threshold);
  double energy = 0;
  const int64_t whole = difference.count / kMask * kMask;
  for (int64_t block = 0; block < whole; block += kBlock) {
    const int64_t end = std::min(whole, block + kBlock);
    __m256 squares[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    for (int64_t at = block; at < end; at += kMask) {
      uint32_t mask = 0;
      for (int64_t lane = 0; lane < kMask; lane += kLanes) {
        __m256 value = _mm256_loadu_ps(difference.from + at + lane);
        if constexpr (subtracts) value = _mm256_sub_ps(value, _mm256_loadu_ps(difference.minus + at + lane));
        __m256& sum = squares[lane / kLanes % 2];
        sum = _mm256_fmadd_ps(value, value, sum);
        const __m256 large = _mm256_cmp_ps(_mm256_andnot_ps(sign, value), limit, _CMP_GE_OQ);
        mask |= static_cast<uint32_t>(_mm256_movemask_ps(large)) << lane;
      }
      for (; mask != 0; mask &= mask - 1) {
        const int64_t i = at + __builtin_ctz(mask);
        found.places.push_back(first + static_cast<uint32_t>(i));
        found.values.push_back(difference.at(i));
      }
    }
    float lanes[kLanes];
    _mm256_storeu_ps(lanes, _mm256_add_ps(squares[0], squares[1]));
    for (const float lane : lanes) energy += static_cast<double>(lane);
  }
  return energy + scan_each(difference, whole, threshold, first, found);
}

#endif

}  // namespace

double scan_large(const Difference& difference, float threshold, uint32_t first, LargeValues& found) {
#if defined(__x86_64__)
  static const bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (supported) return difference.minus == nullptr ? scan_blocks<false>(difference, threshold, first, found) : scan_blocks<true>(difference, threshold, first, found);
#endif
  return scan_each(difference, 0, threshold, first, found);
}

}  // namespace ringlab
