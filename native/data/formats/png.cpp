// PNG as read by Pillow (W3C PNG, third edition): gAMA, cHRM, sRGB and iCCP have no effect, 16-bit grey is clipped, 16-bit
// colours keep their upper byte, tRNS and alpha are dropped, and of an animation the first frame is used.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/checked.h"
#include "data/formats/image.h"
#include "data/formats/pillow_pixels.h"

namespace ringlab {
namespace {

constexpr uint8_t kSignature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

[[noreturn]] void broken(const std::string& what) { throw BrokenImage("PNG: " + what); }

uint32_t big_endian(const uint8_t* p) { return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3]; }

enum ColourType { grey = 0, colour = 2, indexed = 3, grey_alpha = 4, colour_alpha = 6 };

struct Header {
  uint32_t width = 0;
  uint32_t height = 0;
  unsigned depth = 0;
  unsigned type = 0;
  bool interlaced = false;

  unsigned channels() const { return type == colour ? 3 : type == grey_alpha ? 2 : type == colour_alpha ? 4 : 1; }
  unsigned bits() const { return channels() * depth; }
  size_t row_bytes(size_t pixels) const { return (pixels * bits() + 7) / 8; }
};

struct Chunk {
  const uint8_t* name = nullptr;
  const uint8_t* data = nullptr;
  size_t length = 0;

  bool is(const char* other) const { return std::memcmp(name, other, 4) == 0; }
};

/// Iterates over a file's chunks. The checksums of those before the pixels are verified, as in Pillow.
class Chunks {
 public:
  explicit Chunks(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  Chunk next() {
    if (!lies_within(at_, 8, bytes_.size())) broken("the file ends before its pixels do");
    const uint8_t* p = bytes_.data() + at_;
    const size_t length = big_endian(p);
    const auto is_letter = [](uint8_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    if (!std::all_of(p + 4, p + 8, is_letter)) broken("something that is no chunk");
    const Chunk chunk{p + 4, p + 8, std::min(length, bytes_.size() - at_ - 8)};
    if (!chunk.is("IDAT")) {
      if (!lies_within(at_ + 8, uint64_t{length} + 4, bytes_.size())) broken("a chunk reaches past the end of the file");
      const auto sum = crc32_z(0, chunk.name, length + 4);
      if (!in_pixels_ && sum != big_endian(chunk.data + length)) broken("a chunk's checksum is wrong");
    } else {
      in_pixels_ = true;
    }
    at_ = std::min<size_t>(at_ + 12 + length, bytes_.size());
    return chunk;
  }

 private:
  const std::vector<uint8_t>& bytes_;
  size_t at_ = sizeof kSignature;
  bool in_pixels_ = false;
};

/// The inflated content of the IDAT chunks.
class PixelData {
 public:
  PixelData(Chunks& chunks, Chunk first) : chunks_(chunks) {
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
    take(first);
  }
  ~PixelData() { inflateEnd(&stream_); }
  PixelData(const PixelData&) = delete;
  PixelData& operator=(const PixelData&) = delete;

  /// Fills `out`. False if the data end with it: no row may follow.
  bool read(uint8_t* out, size_t count) {
    stream_.next_out = out;
    stream_.avail_out = static_cast<uInt>(count);
    while (true) {
      if (stream_.avail_in == 0) {
        const Chunk chunk = chunks_.next();
        if (!chunk.is("IDAT")) broken("the pixels end early");
        take(chunk);
        continue;
      }
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result < 0) broken("its compressed data are damaged");
      if (result == Z_NEED_DICT) broken("its compressed data want a dictionary");
      if (stream_.avail_out == 0) return result != Z_STREAM_END;
      if (result == Z_STREAM_END) broken("the pixels end early");
    }
  }

 private:
  void take(const Chunk& chunk) {
    stream_.next_in = const_cast<Bytef*>(chunk.data);  // zlib's interface is not const-correct
    stream_.avail_in = static_cast<uInt>(chunk.length);
  }

  Chunks& chunks_;
  z_stream stream_{};
};

Header read_header(const Chunk& chunk) {
  if (chunk.length < 13) broken("its header is too short");
  const uint8_t* p = chunk.data;
  Header header{big_endian(p), big_endian(p + 4), p[8], p[9], p[12] != 0};
  if (p[11] != 0) broken("an unknown method of filtering");
  const unsigned depth = header.depth;
  const bool wide = depth == 8 || depth == 16;
  const bool known = header.type == grey ? wide || depth == 1 || depth == 2 || depth == 4
                     : header.type == indexed ? depth == 1 || depth == 2 || depth == 4 || depth == 8
                                              : wide && (header.type == colour || header.type == grey_alpha || header.type == colour_alpha);
  if (!known) broken("colour type " + std::to_string(header.type) + " of " + std::to_string(depth) + " bits is none");
  check_pixels("PNG", header.width, header.height);
  return header;
}

uint8_t paeth(int left, int above, int corner) {
  const int a = std::abs(above - corner);
  const int b = std::abs(left - corner);
  const int c = std::abs(left + above - 2 * corner);
  return static_cast<uint8_t>(a <= b && a <= c ? left : b <= c ? above : corner);
}

/// In place, from the row above.
void unfilter(unsigned filter, uint8_t* row, const uint8_t* above, size_t count, size_t step) {
  switch (filter) {
    case 0: return;
    case 1:
      for (size_t i = step; i < count; ++i) row[i] = static_cast<uint8_t>(row[i] + row[i - step]);
      return;
    case 2:
      for (size_t i = 0; i < count; ++i) row[i] = static_cast<uint8_t>(row[i] + above[i]);
      return;
    case 3:
      for (size_t i = 0; i < count; ++i) row[i] = static_cast<uint8_t>(row[i] + ((i < step ? 0 : row[i - step]) + above[i]) / 2);
      return;
    case 4:
      for (size_t i = 0; i < std::min(step, count); ++i) row[i] = static_cast<uint8_t>(row[i] + above[i]);
      for (size_t i = step; i < count; ++i) row[i] = static_cast<uint8_t>(row[i] + paeth(row[i - step], above[i], above[i - step]));
      return;
    default: broken("an unknown filter");
  }
}

void unpack(const Header& header, const Palette& palette, const uint8_t* row, size_t count, uint8_t* rgb) {
  const unsigned depth = header.depth;
  const size_t step = header.bits() / 8;
  for (size_t x = 0; x < count; ++x, rgb += 3) {
    if (header.type == indexed) put_colour(palette.rgb[depth == 8 ? row[x] : packed_sample(row, x, depth)], rgb);
    else if (header.type == grey && depth < 8) put_grey(grey_level(packed_sample(row, x, depth), depth), rgb);
    else if (header.type == grey && depth == 16) put_grey(clip_to_level(int64_t{row[2 * x]} << 8 | row[2 * x + 1]), rgb);
    else if (header.type == grey || header.type == grey_alpha) put_grey(row[step * x], rgb);
    else if (depth == 8) put_colour(row + step * x, rgb);
    else for (size_t c = 0; c < 3; ++c) rgb[c] = row[step * x + 2 * c];
  }
}

/// The pixels of one pass of Adam7, or of the whole image.
struct Pass {
  size_t left;
  size_t top;
  size_t across;
  size_t down;
};

void read_pixels(const Header& header, const Palette& palette, PixelData& data, Image& image) {
  static constexpr Pass kAdam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  static constexpr Pass kWhole[] = {{0, 0, 1, 1}};
  const size_t step = std::max<size_t>(1, header.bits() / 8);
  std::vector<uint8_t> row(1 + header.row_bytes(header.width));
  std::vector<uint8_t> above(row.size());
  std::vector<uint8_t> pixels(header.interlaced ? size_t{3} * header.width : 0);
  const Pass* passes = header.interlaced ? kAdam7 : kWhole;
  for (const Pass* pass = passes; pass != passes + (header.interlaced ? 7 : 1); ++pass) {
    if (header.width <= pass->left) continue;
    const size_t count = (header.width - pass->left + pass->across - 1) / pass->across;
    const size_t bytes = header.row_bytes(count);
    std::fill(above.begin(), above.end(), uint8_t{0});
    for (size_t y = pass->top; y < header.height; y += pass->down) {
      const bool more = data.read(row.data(), 1 + bytes);
      unfilter(row[0], row.data() + 1, above.data() + 1, bytes, step);
      uint8_t* out = image.rgb.data() + size_t{3} * header.width * y;
      if (header.interlaced) {
        unpack(header, palette, row.data() + 1, count, pixels.data());
        for (size_t x = 0; x < count; ++x) put_colour(pixels.data() + 3 * x, out + 3 * (pass->left + x * pass->across));
      } else {
        unpack(header, palette, row.data() + 1, count, out);
      }
      if (!more) return;  // as in Pillow: missing pixels are unchanged
      row.swap(above);
    }
  }
}

}  // namespace

bool is_png(const std::vector<uint8_t>& bytes) { return bytes.size() > 8 && std::memcmp(bytes.data(), kSignature, sizeof kSignature) == 0; }

Image decode_png(const std::vector<uint8_t>& bytes) {
  if (!is_png(bytes)) broken("its signature is missing");
  Chunks chunks(bytes);
  Header header;
  Palette palette;
  Chunk chunk = chunks.next();
  for (; !chunk.is("IDAT"); chunk = chunks.next()) {
    if (chunk.is("IEND")) broken("it has no pixels");
    if (chunk.is("IHDR")) header = read_header(chunk);
    if (chunk.is("PLTE") && header.type == indexed) {
      if (chunk.length / 3 > 256) broken("its palette has " + std::to_string(chunk.length / 3) + " colours");
      palette = Palette();
      std::memcpy(palette.rgb, chunk.data, chunk.length / 3 * 3);
    }
  }
  if (header.width == 0) broken("its header is missing");
  Image image{static_cast<int>(header.width), static_cast<int>(header.height), {}};
  const size_t pixels = size_t{header.width} * header.height;
  image.rgb.resize(3 * pixels);
  if (header.type == indexed) {
    for (size_t i = 0; i < pixels; ++i) put_colour(palette.rgb[0], image.rgb.data() + 3 * i);
  }
  PixelData data(chunks, chunk);
  read_pixels(header, palette, data, image);
  return image;
}

}  // namespace ringlab
