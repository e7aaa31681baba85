// Counter-based random numbers: they depend on their key only, so they are the same for any number of workers.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace ringlab {

/// SplitMix64 over a key such as {seed, epoch, index}: cheap to seed, one independent stream per sample.
class Stream {
 public:
  Stream(std::initializer_list<uint64_t> key) {
    for (const uint64_t part : key) state_ = mix(state_ ^ mix(part + 0x9E3779B97F4A7C15ULL));
  }
  uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    return mix(state_);
  }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// In [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// In 0 … count - 1.
  int64_t below(int64_t count) { return static_cast<int64_t>(uniform() * static_cast<double>(count)); }

 private:
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  uint64_t state_ = 0;
};

}  // namespace ringlab
