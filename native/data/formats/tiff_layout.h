// Which kinds of TIFF pixels Pillow knows, and how their bytes become RGB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/formats/pillow_pixels.h"

namespace ringlab {

/// What a TIFF's tags say of its samples, with the specification's defaults.
struct TiffTags {
  unsigned photometric = 0;
  unsigned sample_format = 1;  ///< 1: unsigned, 2: signed, 3: float
  unsigned fill_order = 1;
  unsigned bits = 1;
  unsigned samples = 1;
  std::vector<unsigned> extra;  ///< 0: of no meaning, 1: alpha that the colours were multiplied with, 2: alpha
  bool big_endian = false;
  bool compressed = false;
  bool planes_apart = false;
};

enum class TiffPixels { grey, inverted_grey, index, colour, multiplied_colour, inks, levels12, levels16, signed16, levels32, signed32, floats };

/// One kind: `samples` of `bits` each, those of a pixel side by side.
struct TiffLayout {
  TiffPixels pixels = TiffPixels::grey;
  unsigned bits = 8;
  unsigned samples = 1;
  bool swapped = false;  ///< the other order of bytes

  size_t bits_a_pixel() const { return size_t{bits} * samples; }
};

/// Nothing where Pillow knows no such kind. YCbCr is `colour`: libtiff makes RGB of it.
std::optional<TiffLayout> tiff_layout(const TiffTags& tags);

/// `count` pixels of one row.
void unpack_tiff(const TiffLayout& layout, const Palette& palette, const uint8_t* row, size_t count, uint8_t* rgb);

}  // namespace ringlab
