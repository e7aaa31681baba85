// AVX2: products of 16-bit halves (vpmaddwd), summed in pairs. A weight of 22 bits is split into its upper and lower 14 bits;
// all sums are integers below 2^31, so they equal those of the portable loops bit for bit.
#include "data/pixels/pixel_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace ringlab {
namespace {

#define RINGLAB_AVX2 __attribute__((target("avx2,fma")))
#define RINGLAB_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) inline

constexpr int kLowBits = 14;

/// Combines the sums of upper and lower products to one number per channel, rounded and shifted to the level.
RINGLAB_AVX2_INLINE __m256i levels(__m256i sums) {
  return _mm256_srai_epi32(_mm256_add_epi32(sums, _mm256_set1_epi32(1 << (kWeightBits - 1))), kWeightBits);
}

/// Weighted sum of one output pixel: taps 0 and 1 of each block in the lower half, 2 and 3 in the upper.
RINGLAB_AVX2_INLINE __m256i pixel_sums(const uint8_t* pixel, const int16_t* split, int blocks) {
  // Bytes of two adjacent pixels as 16-bit numbers: R0 R1 G0 G1 B0 B1.
  const __m256i pairs = _mm256_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1, 6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
  __m256i upper = _mm256_setzero_si256();
  __m256i lower = _mm256_setzero_si256();
  for (int block = 0; block < blocks; ++block, pixel += 12, split += 32) {
    const __m256i four = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pixel)));
    const __m256i words = _mm256_shuffle_epi8(four, pairs);
    upper = _mm256_add_epi32(upper, _mm256_madd_epi16(words, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(split))));
    lower = _mm256_add_epi32(lower, _mm256_madd_epi16(words, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(split + 16))));
  }
  return _mm256_add_epi32(_mm256_slli_epi32(upper, kLowBits), lower);
}

/// Two pixels, one per half.
RINGLAB_AVX2_INLINE __m256i two_pixels(__m256i a, __m256i b) {
  return levels(_mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31)));
}

RINGLAB_AVX2_INLINE void across_blocks(const FilterTable& filter, const uint8_t* rgb, uint8_t* rgbx, int blocks) {
  const size_t count = filter.size();
  const int32_t* first = filter.first.data();
  const int16_t* split = filter.split.data();
  const size_t step = size_t{32} * static_cast<size_t>(blocks);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 0, 0, 0, 0);
  for (size_t x = 0; x < count; x += 4) {
    __m256i sums[4];
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; ++i) {
      const size_t at = x + i < count ? x + i : count - 1;
      sums[i] = pixel_sums(rgb + 3 * static_cast<size_t>(first[at]), split + at * step, blocks);
    }
    const __m256i words = _mm256_packs_epi32(two_pixels(sums[0], sums[1]), two_pixels(sums[2], sums[3]));
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(words, words), order);
    const __m128i pixels = _mm256_castsi256_si128(bytes);
    if (x + 4 <= count) _mm_storeu_si128(reinterpret_cast<__m128i*>(rgbx + 4 * x), pixels);
    else {
      alignas(16) uint8_t last[16];
      _mm_store_si128(reinterpret_cast<__m128i*>(last), pixels);
      std::memcpy(rgbx + 4 * x, last, 4 * (count - x));
    }
  }
}

RINGLAB_AVX2 void across(const FilterTable& filter, const uint8_t* rgb, uint8_t* rgbx) {
  // Images that shrink by less than two have one block: no loop over blocks.
  if (filter.blocks == 1) across_blocks(filter, rgb, rgbx, 1);
  else across_blocks(filter, rgb, rgbx, filter.blocks);
}

/// 32 bytes of an output row.
RINGLAB_AVX2_INLINE __m256i down_piece(const uint8_t* rows, size_t stride, const int32_t* weights, int count) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i upper[4] = {zero, zero, zero, zero};
  __m256i lower[4] = {zero, zero, zero, zero};
  for (int k = 0; k < count; k += 2, rows += 2 * stride) {
    const bool pair = k + 1 < count;
    const int32_t w0 = weights[k];
    const int32_t w1 = pair ? weights[k + 1] : 0;
    const __m256i high = _mm256_set1_epi32((w0 >> kLowBits) | (w1 >> kLowBits) << 16);
    const __m256i low = _mm256_set1_epi32((w0 & ((1 << kLowBits) - 1)) | (w1 & ((1 << kLowBits) - 1)) << 16);
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows));
    const __m256i b = pair ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows + stride)) : zero;
    const __m256i first = _mm256_unpacklo_epi8(a, b);
    const __m256i second = _mm256_unpackhi_epi8(a, b);
    const __m256i words[4] = {_mm256_unpacklo_epi8(first, zero), _mm256_unpackhi_epi8(first, zero), _mm256_unpacklo_epi8(second, zero), _mm256_unpackhi_epi8(second, zero)};
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      upper[i] = _mm256_add_epi32(upper[i], _mm256_madd_epi16(words[i], high));
      lower[i] = _mm256_add_epi32(lower[i], _mm256_madd_epi16(words[i], low));
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) upper[i] = levels(_mm256_add_epi32(_mm256_slli_epi32(upper[i], kLowBits), lower[i]));
  return _mm256_packus_epi16(_mm256_packs_epi32(upper[0], upper[1]), _mm256_packs_epi32(upper[2], upper[3]));
}

RINGLAB_AVX2 void down(const uint8_t* rows, size_t stride, const int32_t* weights, int count, size_t bytes, uint8_t* out) {
  size_t from = 0;
  for (; from + 32 <= bytes; from += 32) _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + from), down_piece(rows + from, stride, weights, count));
  if (from < bytes) plain_kernels().down(rows + from, stride, weights, count, bytes - from, out + from);
}

/// x / divisor correctly rounded without a division, for the numbers that occur here (the test tries all of them).
RINGLAB_AVX2_INLINE __m256 quotient(__m256 x, __m256 divisor, __m256 reciprocal) {
  const __m256 estimate = _mm256_mul_ps(x, reciprocal);
  return _mm256_fmadd_ps(_mm256_fnmadd_ps(estimate, divisor, x), reciprocal, estimate);
}

/// `past_the_cache`: non-temporal stores, which neither read memory first nor evict cache lines.
template <bool past_the_cache>
RINGLAB_AVX2_INLINE size_t write_colours(const uint8_t* rgbx, size_t count, const Channel channels[3], float* out, size_t plane) {
  const __m256i byte = _mm256_set1_epi32(0xFF);
  const __m256 full = _mm256_set1_ps(255.0F);
  const __m256 of_full = _mm256_set1_ps(1.0F / 255.0F);
  __m256 mean[3];
  __m256 deviation[3];
  __m256 of_deviation[3];
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
    mean[c] = _mm256_set1_ps(channels[c].mean);
    deviation[c] = _mm256_set1_ps(channels[c].deviation);
    of_deviation[c] = _mm256_set1_ps(1.0F / channels[c].deviation);
  }
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i pixels = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rgbx + 4 * i));
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      const __m256 level = _mm256_cvtepi32_ps(_mm256_and_si256(_mm256_srli_epi32(pixels, 8 * c), byte));
      const __m256 value = quotient(_mm256_sub_ps(quotient(level, full, of_full), mean[c]), deviation[c], of_deviation[c]);
      float* to = out + static_cast<size_t>(c) * plane + i;
      if (past_the_cache) _mm256_stream_ps(to, value);
      else _mm256_storeu_ps(to, value);
    }
  }
  return i;
}

RINGLAB_AVX2 void to_colours(const uint8_t* rgbx, size_t count, const Channel channels[3], float* out, size_t plane) {
  // Batches of large images exceed the caches; those of small ones are still cached when the model reads them.
  constexpr size_t kLarge = size_t{1} << 14;
  const bool aligned = reinterpret_cast<uintptr_t>(out) % 32 == 0 && plane % 8 == 0;
  const size_t done = plane >= kLarge && aligned ? write_colours<true>(rgbx, count, channels, out, plane) : write_colours<false>(rgbx, count, channels, out, plane);
  _mm_sfence();  // another thread will read it
  if (done < count) plain_kernels().to_colours(rgbx + 4 * done, count - done, channels, out + done, plane);
}

}  // namespace

const PixelKernels* avx2_kernels() {
  static constexpr PixelKernels kernels{across, down, to_colours};
  static const bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return supported ? &kernels : nullptr;
}

}  // namespace ringlab

#else

namespace ringlab {

const PixelKernels* avx2_kernels() { return nullptr; }

}  // namespace ringlab

#endif
