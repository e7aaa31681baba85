// The kinds of TIFF pixels that Pillow supports, and their conversion to RGB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/formats/pillow_pixels.h"

namespace ringlab {

/// A TIFF's tags about its samples, with the specification's defaults.
struct TiffTags {
  unsigned photometric = 0;
  unsigned sample_format = 1;  ///< 1: unsigned, 2: signed, 3: float
  unsigned fill_order = 1;
  unsigned bits = 1;
  unsigned samples = 1;
  std::vector<unsigned> extra;  ///< 0: undefined, 1: premultiplied alpha, 2: alpha
  bool big_endian = false;
  bool compressed = false;
  bool planes_apart = false;
};

enum class TiffPixels { grey, inverted_grey, index, colour, multiplied_colour, inks, levels12, levels16, signed16, levels32, signed32, floats };

/// One kind: interleaved `samples` of `bits` each.
struct TiffLayout {
  TiffPixels pixels = TiffPixels::grey;
  unsigned bits = 8;
  unsigned samples = 1;
  bool swapped = false;  ///< opposite byte order

  size_t bits_a_pixel() const { return size_t{bits} * samples; }
};

/// Nothing if Pillow does not support the kind. YCbCr is `colour`: libtiff converts it to RGB.
std::optional<TiffLayout> tiff_layout(const TiffTags& tags);

/// Converts `count` pixels of one row.
void unpack_tiff(const TiffLayout& layout, const Palette& palette, const uint8_t* row, size_t count, uint8_t* rgb);

}  // namespace ringlab
