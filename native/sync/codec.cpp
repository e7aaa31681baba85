#include "sync/codec.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ringlab {
namespace {

template <typename Short>
class ShortFloatCodec : public Codec {
 public:
  int64_t block() const override { return 1; }
  int64_t bytes(int64_t count) const override { return 2 * count; }
  bool coarse() const override { return false; }

  void encode(const float* values, int64_t count, uint8_t* out) const override {
    for (int64_t i = 0; i < count; ++i) {
      const Short value(values[i]);
      std::memcpy(out + 2 * i, &value, 2);
    }
  }

  void decode(const uint8_t* in, int64_t count, float* values) const override {
    for (int64_t i = 0; i < count; ++i) {
      Short value;
      std::memcpy(&value, in + 2 * i, 2);
      values[i] = static_cast<float>(value);
    }
  }
};

template <int bits>
class IntegerCodec : public Codec {
 public:
  static constexpr int64_t kBlock = 256;
  static constexpr float kLevels = bits == 8 ? 127.0F : 7.0F;
  static constexpr int64_t kBlockBytes = static_cast<int64_t>(sizeof(float)) + kBlock * bits / 8;

  int64_t block() const override { return kBlock; }
  int64_t bytes(int64_t count) const override { return count / kBlock * kBlockBytes; }
  bool coarse() const override { return true; }

  void encode(const float* values, int64_t count, uint8_t* out) const override {
    for (int64_t at = 0; at < count; at += kBlock, values += kBlock, out += kBlockBytes) {
      float largest = 0;
      for (int64_t i = 0; i < kBlock; ++i) {
        const float magnitude = std::fabs(values[i]);
        largest = magnitude <= largest ? largest : magnitude;  // a NaN wins, and stays
        if (std::isnan(largest)) break;
      }
      const float scale = std::isfinite(largest) ? largest / kLevels : NAN;
      std::memcpy(out, &scale, sizeof scale);
      const float inverse = scale > 0 ? 1.0F / scale : 0.0F;
      int8_t levels[kBlock];
      for (int64_t i = 0; i < kBlock; ++i) {
        const float level = std::isfinite(inverse) && std::isfinite(values[i]) ? std::nearbyint(values[i] * inverse) : 0.0F;
        levels[i] = static_cast<int8_t>(std::clamp(level, -kLevels, kLevels));
      }
      uint8_t* packed = out + sizeof scale;
      if constexpr (bits == 8) {
        std::memcpy(packed, levels, kBlock);
      } else {
        for (int64_t i = 0; i < kBlock; i += 2) packed[i / 2] = static_cast<uint8_t>((levels[i] & 15) | ((levels[i + 1] & 15) << 4));
      }
    }
  }

  void decode(const uint8_t* in, int64_t count, float* values) const override {
    for (int64_t at = 0; at < count; at += kBlock, values += kBlock, in += kBlockBytes) {
      float scale = 0;
      std::memcpy(&scale, in, sizeof scale);
      const uint8_t* packed = in + sizeof scale;
      for (int64_t i = 0; i < kBlock; ++i) {
        int level = 0;
        if constexpr (bits == 8) level = static_cast<int8_t>(packed[i]);
        else level = ((packed[i / 2] >> (4 * (i % 2))) & 15) ^ 8, level -= 8;
        values[i] = static_cast<float>(level) * scale;
      }
    }
  }
};

}  // namespace

std::unique_ptr<Codec> make_fp16_codec() { return std::make_unique<ShortFloatCodec<c10::Half>>(); }
std::unique_ptr<Codec> make_bf16_codec() { return std::make_unique<ShortFloatCodec<c10::BFloat16>>(); }

std::unique_ptr<Codec> make_integer_codec(int bits) {
  if (bits == 8) return std::make_unique<IntegerCodec<8>>();
  return std::make_unique<IntegerCodec<4>>();
}

}  // namespace ringlab
