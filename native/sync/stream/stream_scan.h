// One pass over the difference of two vectors: which values are large, and how large all are. No libtorch here.
#pragma once

#include <cstdint>
#include <vector>

namespace ringlab {

/// `from` minus `minus`; a null `minus` subtracts nothing.
struct Difference {
  const float* from = nullptr;
  const float* minus = nullptr;
  int64_t count = 0;

  float at(int64_t i) const { return minus == nullptr ? from[i] : from[i] - minus[i]; }
};

struct LargeValues {
  std::vector<uint32_t> places;  ///< rising
  std::vector<float> values;
};

/// Appends every value of magnitude `threshold` or more, places counted from `first`, and gives the sum of all squares: not a finite number
/// where a value is none, or greater than 1e19. On CPUs with AVX2 with their instructions, which add the squares in another order.
double scan_large(const Difference& difference, float threshold, uint32_t first, LargeValues& found);

}  // namespace ringlab
