// Conversion of the pixels of Pillow's modes to 8-bit RGB: `Image.convert("RGB")`, bit for bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ringlab {

/// 256 colours. Those not in the file are a grey ramp, as in Pillow.
struct Palette {
  uint8_t rgb[256][3];

  Palette() {
    for (int i = 0; i < 256; ++i) std::fill(rgb[i], rgb[i] + 3, static_cast<uint8_t>(i));
  }
};

inline void put_grey(uint8_t level, uint8_t* rgb) { rgb[0] = rgb[1] = rgb[2] = level; }

inline void put_colour(const uint8_t* colour, uint8_t* rgb) {
  for (int c = 0; c < 3; ++c) rgb[c] = colour[c];
}

/// Modes "I" and "I;16": levels above 255 are clipped, not scaled.
inline uint8_t clip_to_level(int64_t value) { return static_cast<uint8_t>(std::clamp<int64_t>(value, 0, 255)); }

/// Mode "F"; NaN becomes 0.
inline uint8_t clip_to_level(float value) { return value >= 255 ? 255 : value > 0 ? static_cast<uint8_t>(value) : 0; }

/// Sample `index` of a row whose samples have `bits` (1, 2 or 4), the first in the most significant bits.
inline uint8_t packed_sample(const uint8_t* row, size_t index, unsigned bits) {
  const size_t at = index * bits;
  return static_cast<uint8_t>(row[at / 8] >> (8 - bits - at % 8) & ((1U << bits) - 1));
}

/// The level of a grey sample of 1, 2, 4 or 8 bits.
inline uint8_t grey_level(uint8_t sample, unsigned bits) { return static_cast<uint8_t>(sample * (255U / ((1U << bits) - 1))); }

/// Mode "CMYK" (255: full ink).
inline void put_inks(const uint8_t* inks, uint8_t* rgb) {
  const int left = 255 - inks[3];
  for (int c = 0; c < 3; ++c) {
    const int product = inks[c] * left + 128;
    rgb[c] = static_cast<uint8_t>(std::max(0, left - (((product >> 8) + product) >> 8)));
  }
}

/// A colour with premultiplied alpha, divided by it.
inline void put_unmultiplied(const uint8_t* colour, uint8_t alpha, uint8_t* rgb) {
  for (int c = 0; c < 3; ++c) rgb[c] = alpha == 0 ? uint8_t{0} : static_cast<uint8_t>(std::min(255, colour[c] * 255 / alpha));
}

}  // namespace ringlab
