// Windows and OS/2 bitmaps as read by Pillow: 1, 4, 8, 16, 24 and 32 bits, RLE4, RLE8 and bit fields, bottom-up or top-down.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/checked.h"
#include "data/formats/image.h"
#include "data/formats/pillow_pixels.h"

namespace ringlab {
namespace {

[[noreturn]] void broken(const std::string& what) { throw BrokenImage("BMP: " + what); }

enum Compression : uint32_t { none = 0, rle8 = 1, rle4 = 2, bit_fields = 3 };

/// Converts a row's bytes to pixels.
enum class Layout { one_bit, level, index1, index4, index8, bgr15, bgr16, bgr, bgrx, rgbx, xbgr };

/// Reads little-endian numbers with bounds checks.
class Reader {
 public:
  explicit Reader(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  uint32_t number(size_t at, size_t count) const {
    if (!lies_within(at, count, bytes_.size())) broken("the file ends in its header");
    uint32_t value = 0;
    for (size_t i = 0; i < count; ++i) value |= uint32_t{bytes_[at + i]} << (8 * i);
    return value;
  }

 private:
  const std::vector<uint8_t>& bytes_;
};

struct Header {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t bits = 0;
  uint32_t compression = none;
  uint32_t colours = 0;
  size_t colour_bytes = 4;
  size_t palette_at = 0;
  size_t pixels_at = 0;  ///< 0: after the palette
  bool from_above = false;
  Layout layout = Layout::bgr;
};

Layout fields_layout(uint32_t bits, const uint32_t masks[4]) {
  struct Known {
    uint32_t bits;
    uint32_t masks[4];
    Layout layout;
  };
  // Those that Pillow supports; for 16 and 24 bits it ignores the fourth.
  static constexpr Known kKnown[] = {
      {32, {0xFF0000, 0xFF00, 0xFF, 0}, Layout::bgrx},          {32, {0xFF000000, 0xFF0000, 0xFF00, 0}, Layout::xbgr},
      {32, {0xFF000000, 0xFF0000, 0xFF00, 0xFF}, Layout::xbgr}, {32, {0xFF, 0xFF00, 0xFF0000, 0xFF000000}, Layout::rgbx},
      {32, {0xFF0000, 0xFF00, 0xFF, 0xFF000000}, Layout::bgrx}, {32, {0, 0, 0, 0}, Layout::bgrx},
      {24, {0xFF0000, 0xFF00, 0xFF, 0}, Layout::bgr},           {16, {0xF800, 0x7E0, 0x1F, 0}, Layout::bgr16},
      {16, {0x7C00, 0x3E0, 0x1F, 0}, Layout::bgr15},
  };
  for (const Known& known : kKnown) {
    if (known.bits == bits && std::equal(masks, masks + (bits == 32 ? 4 : 3), known.masks)) return known.layout;
  }
  broken("bit fields of an unknown kind");
}

Header read_header(const std::vector<uint8_t>& bytes) {
  const Reader file(bytes);
  Header header;
  header.pixels_at = file.number(10, 4);
  const uint32_t size = file.number(14, 4);
  header.palette_at = 14 + size_t{size};
  if (size == 12) {
    header.width = file.number(18, 2);
    header.height = file.number(20, 2);
    header.bits = file.number(24, 2);
    header.colour_bytes = 3;
  } else if (size == 40 || size == 64 || size == 108 || size == 124) {
    file.number(14 + size - 4, 4);
    header.width = file.number(18, 4);
    header.height = file.number(22, 4);
    header.from_above = header.height >> 24 == 0xFF;
    if (header.from_above) header.height = 0 - header.height;
    header.bits = file.number(28, 2);
    header.compression = file.number(30, 4);
    header.colours = file.number(46, 4);
  } else {
    broken("a header of " + std::to_string(size) + " bytes");
  }
  check_pixels("BMP", header.width, header.height);
  switch (header.bits) {
    case 1: header.layout = Layout::index1; break;
    case 4: header.layout = Layout::index4; break;
    case 8: header.layout = Layout::index8; break;
    case 16: header.layout = Layout::bgr15; break;
    case 24: header.layout = Layout::bgr; break;
    case 32: header.layout = Layout::bgrx; break;
    default: broken(std::to_string(header.bits) + " bits a pixel");
  }
  if (header.colours == 0) header.colours = 1U << header.bits % 32;
  // If the pixels follow the header directly, a palette may still be between them, as in Pillow.
  if (header.pixels_at == header.palette_at && header.bits <= 8) header.pixels_at += size_t{4} * header.colours;
  if (header.compression == bit_fields) {
    uint32_t masks[4] = {};
    const bool outside = size == 40;  // then three masks follow the header
    for (size_t i = 0; i < (outside ? 3 : 4); ++i) masks[i] = file.number(14 + 40 + 4 * i, 4);
    if (outside) header.palette_at += 12;
    header.layout = fields_layout(header.bits, masks);
  } else if (header.compression > rle4) {
    broken("compression " + std::to_string(header.compression));
  }
  return header;
}

/// For 8 bits and less. Pillow ignores a palette that is a grey ramp: the pixels are grey levels then.
Palette read_palette(const std::vector<uint8_t>& bytes, Header& header) {
  if (header.colours > 65536) broken("a palette of " + std::to_string(header.colours) + " colours");
  const size_t available = bytes.size() - std::min(bytes.size(), header.palette_at);
  const size_t length = std::min(available, header.colour_bytes * header.colours);
  const uint8_t* colours = bytes.data() + (bytes.size() - available);
  const auto is_ramp = [&] {
    for (size_t i = 0; i < header.colours; ++i) {
      const auto level = static_cast<uint8_t>(header.colours == 2 ? 255 * i : i);
      if ((i + 1) * header.colour_bytes - (header.colour_bytes - 3) > length) return false;
      const uint8_t* colour = colours + i * header.colour_bytes;
      if (colour[0] != level || colour[1] != level || colour[2] != level) return false;
    }
    return true;
  };
  Palette palette;
  if (is_ramp()) {
    header.layout = header.colours == 2 ? Layout::one_bit : Layout::level;
  } else {
    const size_t count = length / header.colour_bytes;
    if (count > 256) broken("a palette of " + std::to_string(count) + " colours");
    for (size_t i = 0; i < count; ++i) {
      for (size_t c = 0; c < 3; ++c) palette.rgb[i][c] = colours[i * header.colour_bytes + 2 - c];
    }
  }
  header.palette_at += length;
  return palette;
}

size_t row_bytes(Layout layout, size_t width) {
  switch (layout) {
    case Layout::one_bit:
    case Layout::index1: return (width + 7) / 8;
    case Layout::index4: return (width + 1) / 2;
    case Layout::level:
    case Layout::index8: return width;
    case Layout::bgr15:
    case Layout::bgr16: return 2 * width;
    case Layout::bgr: return 3 * width;
    default: return 4 * width;
  }
}

void unpack(Layout layout, const Palette& palette, const uint8_t* row, size_t width, uint8_t* rgb) {
  for (size_t x = 0; x < width; ++x, rgb += 3) {
    switch (layout) {
      case Layout::one_bit: put_grey(packed_sample(row, x, 1) != 0 ? 255 : 0, rgb); break;
      case Layout::level: put_grey(row[x], rgb); break;
      case Layout::index1: put_colour(palette.rgb[packed_sample(row, x, 1)], rgb); break;
      case Layout::index4: put_colour(palette.rgb[packed_sample(row, x, 4)], rgb); break;
      case Layout::index8: put_colour(palette.rgb[row[x]], rgb); break;
      case Layout::bgr15:
      case Layout::bgr16: {
        const unsigned pixel = row[2 * x] | unsigned{row[2 * x + 1]} << 8;
        const bool six = layout == Layout::bgr16;
        rgb[0] = static_cast<uint8_t>((pixel >> (six ? 11 : 10) & 31) * 255 / 31);
        rgb[1] = static_cast<uint8_t>((pixel >> 5 & (six ? 63 : 31)) * 255 / (six ? 63 : 31));
        rgb[2] = static_cast<uint8_t>((pixel & 31) * 255 / 31);
        break;
      }
      case Layout::bgr:
      case Layout::bgrx: {
        const uint8_t* pixel = row + (layout == Layout::bgr ? 3 : 4) * x;
        for (size_t c = 0; c < 3; ++c) rgb[c] = pixel[2 - c];
        break;
      }
      case Layout::rgbx: put_colour(row + 4 * x, rgb); break;
      case Layout::xbgr:
        for (size_t c = 0; c < 3; ++c) rgb[c] = row[4 * x + 3 - c];
        break;
    }
  }
}

/// Run lengths as in Pillow, which differs from other programs only for damaged files: one byte per pixel.
std::vector<uint8_t> read_runs(const std::vector<uint8_t>& bytes, size_t at, const Header& header) {
  const size_t width = header.width;
  const size_t wanted = width * header.height;
  const bool half = header.compression == rle4;
  std::vector<uint8_t> pixels;
  pixels.reserve(wanted);
  size_t x = 0;
  while (pixels.size() < wanted && lies_within(at, 2, bytes.size())) {
    const size_t count = bytes[at];
    const uint8_t value = bytes[at + 1];
    at += 2;
    if (count > 0) {
      const size_t fitting = x + count > width ? (width > x ? width - x : 0) : count;
      for (size_t i = 0; i < fitting; ++i) pixels.push_back(half ? (i % 2 == 0 ? value >> 4 : value & 0x0F) : value);
      x += fitting;
    } else if (value == 0) {
      while (pixels.size() % width != 0) pixels.push_back(0);
      x = 0;
    } else if (value == 1) {
      break;
    } else if (value == 2) {
      // Pillow reads the two bytes of a delta twice: the second pair counts.
      if (!lies_within(at, 4, bytes.size())) break;
      const size_t step = bytes[at + 2] + bytes[at + 3] * width;
      pixels.resize(std::min(wanted, pixels.size() + step));
      at += 4;
      x = pixels.size() % width;
    } else {
      const size_t length = half ? value / 2 : value;
      const size_t there = std::min(length, bytes.size() - at);
      for (size_t i = 0; i < there; ++i) {
        const uint8_t byte = bytes[at + i];
        if (half) pixels.push_back(byte >> 4);
        pixels.push_back(half ? byte & 0x0F : byte);
      }
      at += there;
      if (there < length) break;
      x += value;
      at += at % 2;
    }
  }
  if (pixels.size() < wanted) broken("the pixels end early");
  return pixels;
}

}  // namespace

bool is_bmp(const std::vector<uint8_t>& bytes) { return bytes.size() > 2 && bytes[0] == 'B' && bytes[1] == 'M'; }

Image decode_bmp(const std::vector<uint8_t>& bytes) {
  Header header = read_header(bytes);
  const Palette palette = header.bits <= 8 ? read_palette(bytes, header) : Palette();
  const size_t at = header.pixels_at != 0 ? header.pixels_at : header.palette_at;
  const size_t width = header.width;
  const bool runs = header.compression == rle8 || header.compression == rle4;
  if (runs && (header.bits > 8 || header.layout == Layout::one_bit)) broken("run lengths of " + std::to_string(header.bits) + " bits");
  const std::vector<uint8_t> unpacked = runs ? read_runs(bytes, at, header) : std::vector<uint8_t>();
  if (runs && header.layout != Layout::level) header.layout = Layout::index8;
  const std::vector<uint8_t>& from = runs ? unpacked : bytes;
  const size_t start = runs ? 0 : at;
  const size_t needed = row_bytes(header.layout, width);
  const size_t stride = runs ? width : (width * header.bits + 31) / 8 & ~size_t{3};
  if (stride < needed) broken("its palette and its bits do not fit");
  if (!lies_within(start, stride * (header.height - 1) + needed, from.size())) broken("the pixels end early");
  Image image{static_cast<int>(width), static_cast<int>(header.height), {}};
  image.rgb.resize(3 * width * header.height);
  for (size_t y = 0; y < header.height; ++y) {
    const size_t row = header.from_above ? y : header.height - 1 - y;
    unpack(header.layout, palette, from.data() + start + y * stride, width, image.rgb.data() + 3 * width * row);
  }
  return image;
}

}  // namespace ringlab
