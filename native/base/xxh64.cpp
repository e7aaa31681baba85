#include "base/xxh64.h"

#include <cstring>

namespace ringlab {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the specification reads numbers with their lowest byte first");

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87ULL;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FULL;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9ULL;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63ULL;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5ULL;
/// Bytes that the four accumulators take at a time.
constexpr size_t kStripe = 32;

uint64_t rotate_left(uint64_t value, int by) { return (value << by) | (value >> (64 - by)); }

template <typename Number>
Number read(const uint8_t* at) {
  Number value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

uint64_t round(uint64_t accumulator, uint64_t lane) { return rotate_left(accumulator + lane * kPrime2, 31) * kPrime1; }

uint64_t merge(uint64_t hash, uint64_t accumulator) { return (hash ^ round(0, accumulator)) * kPrime1 + kPrime4; }

/// All whole stripes; `at` is then behind them.
uint64_t hash_of_stripes(const uint8_t*& at, size_t stripes, uint64_t seed) {
  uint64_t a = seed + kPrime1 + kPrime2;
  uint64_t b = seed + kPrime2;
  uint64_t c = seed;
  uint64_t d = seed - kPrime1;
  for (; stripes > 0; --stripes, at += kStripe) {
    a = round(a, read<uint64_t>(at));
    b = round(b, read<uint64_t>(at + 8));
    c = round(c, read<uint64_t>(at + 16));
    d = round(d, read<uint64_t>(at + 24));
  }
  const uint64_t hash = rotate_left(a, 1) + rotate_left(b, 7) + rotate_left(c, 12) + rotate_left(d, 18);
  return merge(merge(merge(merge(hash, a), b), c), d);
}

}  // namespace

uint64_t xxh64(const void* data, size_t size, uint64_t seed) {
  const auto* at = static_cast<const uint8_t*>(data);
  uint64_t hash = size < kStripe ? seed + kPrime5 : hash_of_stripes(at, size / kStripe, seed);
  hash += size;
  size_t left = size % kStripe;
  for (; left >= 8; left -= 8, at += 8) hash = rotate_left(hash ^ round(0, read<uint64_t>(at)), 27) * kPrime1 + kPrime4;
  if (left >= 4) {
    hash = rotate_left(hash ^ read<uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    left -= 4;
    at += 4;
  }
  for (; left > 0; --left, ++at) hash = rotate_left(hash ^ *at * kPrime5, 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

}  // namespace ringlab
