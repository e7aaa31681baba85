#include "optim/sgd_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cmath>

namespace ringlab {
namespace {

#define RINGLAB_FMA __attribute__((target("avx2,fma")))

template <bool decays, bool has_momentum, bool first>
RINGLAB_FMA void update(float* parameter, const float* gradient, float* momentum, int64_t count, const SgdStep& step) {
  constexpr int64_t kLanes = 8;
  const __m256 decay = _mm256_set1_ps(step.weight_decay);
  const __m256 keep = _mm256_set1_ps(step.momentum);
  const __m256 rate = _mm256_set1_ps(step.rate);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256 value = _mm256_loadu_ps(parameter + i);
    __m256 direction = _mm256_loadu_ps(gradient + i);
    if constexpr (decays) direction = _mm256_fmadd_ps(value, decay, direction);
    if constexpr (has_momentum) {
      if constexpr (!first) {
        __m256 kept = _mm256_mul_ps(_mm256_loadu_ps(momentum + i), keep);
        asm("" : "+x"(kept));  // else the compiler would contract it with the sum
        direction = _mm256_add_ps(kept, direction);
      }
      _mm256_storeu_ps(momentum + i, direction);
    }
    _mm256_storeu_ps(parameter + i, _mm256_fmadd_ps(direction, rate, value));
  }
  for (; i < count; ++i) {
    float direction = gradient[i];
    if constexpr (decays) direction = std::fma(parameter[i], step.weight_decay, direction);
    if constexpr (has_momentum) {
      if constexpr (!first) {
        float kept = momentum[i] * step.momentum;
        asm("" : "+x"(kept));
        direction = kept + direction;
      }
      momentum[i] = direction;
    }
    parameter[i] = std::fma(direction, step.rate, parameter[i]);
  }
}

template <bool decays>
void choose(float* parameter, const float* gradient, float* momentum, int64_t count, const SgdStep& step) {
  const auto chosen = momentum == nullptr ? update<decays, false, false> : step.first ? update<decays, true, true> : update<decays, true, false>;
  chosen(parameter, gradient, momentum, count, step);
}

}  // namespace

bool has_sgd_kernel() {
  static const bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return supported;
}

void sgd_step(float* parameter, const float* gradient, float* momentum, int64_t count, const SgdStep& step) {
  step.weight_decay != 0 ? choose<true>(parameter, gradient, momentum, count, step) : choose<false>(parameter, gradient, momentum, count, step);
}

}  // namespace ringlab

#else

namespace ringlab {

bool has_sgd_kernel() { return false; }
void sgd_step(float*, const float*, float*, int64_t, const SgdStep&) {}

}  // namespace ringlab

#endif
