// Test vectors of the reference implementation: of texts, and of xxHash's self-test.
#include "base/xxh64.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace ringlab {
namespace {

constexpr uint64_t kSeed = 2654435761U;

uint64_t hash_of(const std::string& text, uint64_t seed = 0) { return xxh64(text.data(), text.size(), seed); }

/// The bytes that xxHash's self-test makes.
std::vector<uint8_t> generated(size_t size) {
  std::vector<uint8_t> bytes;
  uint32_t state = 2654435761U;
  for (size_t i = 0; i < size; ++i) {
    bytes.push_back(static_cast<uint8_t>(state >> 24));
    state *= state;
  }
  return bytes;
}

TEST(Xxh64, IsTheReferencesOfTexts) {
  EXPECT_EQ(xxh64(nullptr, 0), 0xEF46DB3751D8E999U);
  EXPECT_EQ(xxh64(nullptr, 0, kSeed), 0xAC75FDA2929B17EFU);
  EXPECT_EQ(hash_of("a"), 0xD24EC4F1A98C6E5BU);
  EXPECT_EQ(hash_of("abc"), 0x44BC2CF5AD770999U);
  EXPECT_EQ(hash_of("The quick brown fox jumps over the lazy dog"), 0x0B242D361FDA71BCU);
}

TEST(Xxh64, IsTheReferencesOfItsSelfTest) {
  const auto bytes = generated(101);
  EXPECT_EQ(xxh64(bytes.data(), 1), 0x4FCE394CC88952D8U);
  EXPECT_EQ(xxh64(bytes.data(), 1, kSeed), 0x739840CB819FA723U);
  EXPECT_EQ(xxh64(bytes.data(), 14), 0xCFFA8DB881BC3A3DU);
  EXPECT_EQ(xxh64(bytes.data(), 14, kSeed), 0x5B9611585EFCC9CBU);
  EXPECT_EQ(xxh64(bytes.data(), 101), 0x0EAB543384F878ADU);
  EXPECT_EQ(xxh64(bytes.data(), 101, kSeed), 0xCAA65939306F1E21U);
}

TEST(Xxh64, IsTheSameAtEveryAddress) {
  const auto bytes = generated(101);
  for (size_t offset = 1; offset < 8; ++offset) {
    std::vector<uint8_t> moved(offset);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    EXPECT_EQ(xxh64(moved.data() + offset, bytes.size()), 0x0EAB543384F878ADU) << offset;
  }
}

/// Lengths around each part of the algorithm: bytes, 4, 8 and stripes of 32.
TEST(Xxh64, ChangesWithEveryBitAndWithTheLength) {
  for (const size_t size : {1, 3, 4, 7, 8, 12, 31, 32, 33, 63, 64, 77}) {
    std::vector<uint8_t> bytes(size);
    std::set<uint64_t> seen{xxh64(bytes.data(), size), xxh64(bytes.data(), size - 1)};
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      const auto mask = static_cast<uint8_t>(1U << (bit % 8));
      bytes[bit / 8] ^= mask;
      seen.insert(xxh64(bytes.data(), size));
      bytes[bit / 8] ^= mask;
    }
    EXPECT_EQ(seen.size(), 2 + 8 * size) << size;
  }
}

}  // namespace
}  // namespace ringlab
