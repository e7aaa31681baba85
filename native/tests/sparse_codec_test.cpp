// Positions and signs of the largest values within a budget of bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "sync/codec.h"

namespace ringlab {
namespace {

/// Decoded `values`; the bytes after the encoded ones must be unchanged.
std::vector<float> through(const Codec& codec, const std::vector<float>& values) {
  const auto count = static_cast<int64_t>(values.size());
  const auto bytes = static_cast<size_t>(codec.bytes(count));
  std::vector<uint8_t> coded(bytes + 16, 0xA5);
  codec.encode(values.data(), count, coded.data());
  for (size_t i = bytes; i < coded.size(); ++i) EXPECT_EQ(coded[i], 0xA5) << "written past the end";
  coded.resize(bytes);
  std::vector<float> back(values.size(), 7);
  codec.decode(coded.data(), count, back.data());
  return back;
}

double energy(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return sum;
}

double lost(const std::vector<float>& values, const std::vector<float>& back) {
  std::vector<float> error(values);
  for (size_t i = 0; i < values.size(); ++i) error[i] -= back[i];
  return energy(error) / energy(values);
}

/// A fraction `active` of normal values, the others 0.
std::vector<float> normal_values(int64_t count, double active, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = uniform(random) < active ? normal(random) : 0.0F;
  return values;
}

TEST(SparseCodec, TakesTheBudgetAndNoMore) {
  for (const double bits : {0.01, 0.1, 0.5, 1.0, 4.0}) {
    const auto codec = make_sparse_codec(bits);
    EXPECT_LE(codec->bytes(1 << 20), static_cast<int64_t>((1 << 20) * bits / 8) + 5);
  }
}

TEST(SparseCodec, LosesLittleForItsBits) {
  const auto values = normal_values(300000, 1, 1);
  EXPECT_LT(lost(values, through(*make_sparse_codec(1), values)), 0.40);
  EXPECT_LT(lost(values, through(*make_sparse_codec(0.25), values)), 0.82);
  // If one value in nine is not negligible, the bits are spent on those.
  const auto few = normal_values(300000, 1.0 / 9, 2);
  EXPECT_LT(lost(few, through(*make_sparse_codec(0.5), few)), 0.25);
}

TEST(SparseCodec, GivesEachLayerItsOwnMagnitude) {
  auto values = normal_values(100000, 1, 3);
  for (size_t i = 0; i < values.size() / 2; ++i) values[i] *= 3;
  EXPECT_LT(lost(values, through(*make_sparse_codec(1), values)), 0.32);
}

TEST(SparseCodec, KeepsSignsAndPlaces) {
  std::vector<float> values(5000, 0.0F);
  values[0] = 1;
  values[17] = -1;
  values[4999] = 1;
  EXPECT_EQ(through(*make_sparse_codec(0.1), values), values);
}

TEST(SparseCodec, TakesFewAndEqualValues) {
  for (const int64_t count : {1, 2, 3, 100}) {
    const std::vector<float> zeros(static_cast<size_t>(count), 0.0F);
    EXPECT_EQ(through(*make_sparse_codec(0.01), zeros), zeros);
    const std::vector<float> equal(static_cast<size_t>(count), -0.5F);
    const auto back = through(*make_sparse_codec(4), equal);
    EXPECT_EQ(back, equal) << count;
  }
}

TEST(SparseCodec, SaysWhereAValueIsNotFinite) {
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto values = normal_values(1000, 1, 4);
    values[500] = wrong;
    for (const float value : through(*make_sparse_codec(0.5), values)) EXPECT_TRUE(std::isnan(value));
  }
}

}  // namespace
}  // namespace ringlab
