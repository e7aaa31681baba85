#include "data/formats/tiff_layout.h"

#include <cstring>

namespace ringlab {
namespace {

/// An integer or float in native byte order; swapped on request.
template <typename Number>
Number number_at(const uint8_t* p, bool swapped = false) {
  uint8_t bytes[sizeof(Number)];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = p[swapped ? sizeof bytes - 1 - i : i];
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

unsigned level12(const uint8_t* row, size_t x) {
  const uint8_t* p = row + x / 2 * 3;
  return x % 2 == 0 ? unsigned{p[0]} << 4 | p[1] >> 4 : (p[1] & 0x0FU) << 8 | p[2];
}

/// One sample per pixel; 0 is black or white.
std::optional<TiffPixels> grey_pixels(const TiffTags& tags) {
  const bool plain = tags.fill_order == 1;
  const bool white_is_0 = tags.photometric == 0;
  if (tags.sample_format == 1) {
    if (tags.bits == 1 || tags.bits == 2 || tags.bits == 4 || tags.bits == 8) return white_is_0 ? TiffPixels::inverted_grey : TiffPixels::grey;
    if (tags.bits == 12 && plain && !white_is_0 && !tags.big_endian) return TiffPixels::levels12;
    // Pillow does not invert these.
    if (tags.bits == 16 && (tags.big_endian ? plain && !white_is_0 : plain || !white_is_0)) return TiffPixels::levels16;
    if (tags.bits == 32 && plain && !white_is_0 && !tags.big_endian) return TiffPixels::levels32;
  }
  if (tags.sample_format == 2 && plain && !white_is_0) {
    if (tags.bits == 16) return TiffPixels::signed16;
    if (tags.bits == 32) return TiffPixels::signed32;
  }
  if (tags.sample_format == 3 && plain && tags.bits == 32) return TiffPixels::floats;
  return std::nullopt;
}

/// Meaning of `extra` with three or four colours: none, or the first as given and all others undefined.
bool others_have_no_meaning(const TiffTags& tags) {
  for (size_t i = 1; i < tags.extra.size(); ++i) {
    if (tags.extra[i] != 0) return false;
  }
  return true;
}

std::optional<TiffPixels> colour_pixels(const TiffTags& tags) {
  const size_t colours = tags.samples - tags.extra.size();
  const bool missing = tags.samples == 4 && tags.extra.empty();  // the tag that defines the fourth is absent
  if ((colours != 3 && !missing) || tags.samples > 6 || !others_have_no_meaning(tags)) return std::nullopt;
  if (tags.bits == 16 ? tags.samples > 4 || tags.fill_order != 1 : tags.bits != 8) return std::nullopt;
  if (tags.fill_order != 1 && tags.samples != 3) return std::nullopt;
  // Pillow treats an undefined fourth plane as premultiplied alpha.
  const bool multiplied = tags.extra.empty() ? missing && tags.planes_apart && tags.compressed : tags.extra[0] == 1;
  return multiplied ? TiffPixels::multiplied_colour : TiffPixels::colour;
}

std::optional<TiffPixels> pixels_of(const TiffTags& tags) {
  const bool plain = tags.fill_order == 1;
  const bool with_alpha = tags.samples == 2 && tags.bits == 8 && tags.extra == std::vector<unsigned>{2} && plain && tags.sample_format == 1;
  if (tags.photometric <= 1 && tags.samples == 1 && tags.extra.empty()) return grey_pixels(tags);
  if (tags.photometric == 1 && with_alpha) return TiffPixels::grey;
  if (tags.sample_format != 1) return std::nullopt;
  switch (tags.photometric) {
    case 2: return colour_pixels(tags);
    case 3: {
      const bool known = tags.samples == 1 && tags.extra.empty() && (tags.bits == 1 || tags.bits == 2 || tags.bits == 4 || tags.bits == 8);
      return known || with_alpha ? std::optional(TiffPixels::index) : std::nullopt;
    }
    case 5: {
      if (!plain || tags.samples - tags.extra.size() != 4 || tags.samples > 6 || (!tags.extra.empty() && tags.extra[0] != 0) || !others_have_no_meaning(tags)) return std::nullopt;
      return tags.bits == 8 || (tags.bits == 16 && tags.extra.empty() && !tags.big_endian) ? std::optional(TiffPixels::inks) : std::nullopt;
    }
    case 6: return plain && tags.bits == 8 && tags.samples == 3 && tags.extra.empty() ? std::optional(TiffPixels::colour) : std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<TiffLayout> tiff_layout(const TiffTags& tags) {
  if (tags.samples == 0 || tags.samples < tags.extra.size()) return std::nullopt;
  // Listed but not implemented in Pillow: uncompressed YCbCr, and uncompressed samples of these kinds with the lowest bit
  // first.
  if (!tags.compressed && tags.photometric == 6) return std::nullopt;
  if (!tags.compressed && tags.fill_order == 2 && (tags.photometric == 0 ? tags.bits == 8 : tags.photometric == 3 && tags.bits < 8)) return std::nullopt;
  const auto pixels = pixels_of(tags);
  if (!pixels) return std::nullopt;
  TiffLayout layout{*pixels, tags.bits, tags.samples, false};
  // libtiff returns native byte order. Pillow nevertheless reads 32 bits of a compressed big-endian file as big-endian.
  layout.swapped = tags.big_endian && tags.compressed && tags.bits == 32;
  return layout;
}

void unpack_tiff(const TiffLayout& layout, const Palette& palette, const uint8_t* row, size_t count, uint8_t* rgb) {
  const unsigned bits = layout.bits;
  const size_t step = layout.bits_a_pixel() / 8;
  const size_t width = bits / 8;
  // The upper byte of 16 bits: in native order the second.
  const size_t upper = bits == 16 ? 1 : 0;
  for (size_t x = 0; x < count; ++x, rgb += 3) {
    const uint8_t* pixel = row + step * x;
    switch (layout.pixels) {
      case TiffPixels::grey:
      case TiffPixels::inverted_grey: {
        const uint8_t level = bits < 8 ? grey_level(packed_sample(row, x, bits), bits) : pixel[0];
        put_grey(layout.pixels == TiffPixels::grey ? level : static_cast<uint8_t>(255 - level), rgb);
        break;
      }
      case TiffPixels::index: put_colour(palette.rgb[bits < 8 ? packed_sample(row, x, bits) : pixel[0]], rgb); break;
      case TiffPixels::colour:
        for (size_t c = 0; c < 3; ++c) rgb[c] = pixel[c * width + upper];
        break;
      case TiffPixels::multiplied_colour: {
        const uint8_t colour[3] = {pixel[upper], pixel[width + upper], pixel[2 * width + upper]};
        put_unmultiplied(colour, pixel[3 * width + upper], rgb);
        break;
      }
      case TiffPixels::inks: {
        const uint8_t inks[4] = {pixel[upper], pixel[width + upper], pixel[2 * width + upper], pixel[3 * width + upper]};
        put_inks(inks, rgb);
        break;
      }
      case TiffPixels::levels12: put_grey(clip_to_level(int64_t{level12(row, x)}), rgb); break;
      case TiffPixels::levels16: put_grey(clip_to_level(int64_t{number_at<uint16_t>(pixel)}), rgb); break;
      case TiffPixels::signed16: put_grey(clip_to_level(int64_t{number_at<int16_t>(pixel)}), rgb); break;
      // Pillow stores both as signed numbers.
      case TiffPixels::levels32: put_grey(clip_to_level(int64_t{number_at<int32_t>(pixel)}), rgb); break;
      case TiffPixels::signed32: put_grey(clip_to_level(int64_t{number_at<int32_t>(pixel, layout.swapped)}), rgb); break;
      case TiffPixels::floats: put_grey(clip_to_level(number_at<float>(pixel, layout.swapped)), rgb); break;
    }
  }
}

}  // namespace ringlab
