// libpng's simplified interface: it converts grey, palette and 16-bit pictures itself and reports errors by value.
#include <png.h>

#include <cstring>

#include "data/image.h"
#include "src/checked.h"

namespace ringlab {

namespace {

/// libpng makes room for what a chunk says that it has before it reads it: a gigabyte for a file of 500 bytes.
void check_chunks(const std::vector<uint8_t>& bytes) {
  for (size_t at = 8; lies_within(at, 8, bytes.size());) {
    const uint8_t* chunk = bytes.data() + at;
    const uint64_t length = uint64_t{chunk[0]} << 24 | uint64_t{chunk[1]} << 16 | uint64_t{chunk[2]} << 8 | chunk[3];
    if (!lies_within(at + 8, length + 4, bytes.size())) throw BrokenImage("PNG: a chunk reaches past the end of the file");
    if (std::memcmp(chunk + 4, "IEND", 4) == 0) return;
    at += 12 + length;
  }
}

}  // namespace

bool is_png(const std::vector<uint8_t>& bytes) { return bytes.size() > 8 && png_sig_cmp(bytes.data(), 0, 8) == 0; }

Image decode_png(const std::vector<uint8_t>& bytes) {
  check_chunks(bytes);
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) throw BrokenImage(std::string("PNG: ") + png.message);
  try {
    check_pixels("PNG", png.width, png.height);
  } catch (...) {
    png_image_free(&png);
    throw;
  }
  // RGBA, and the alpha dropped by hand: asking for RGB would blend it with a background, which PIL does not do.
  png.format = PNG_FORMAT_RGBA;
  std::vector<uint8_t> rgba;
  try {
    rgba.resize(PNG_IMAGE_SIZE(png));
  } catch (...) {
    png_image_free(&png);
    throw;
  }
  if (png_image_finish_read(&png, nullptr, rgba.data(), 0, nullptr) == 0) throw BrokenImage(std::string("PNG: ") + png.message);
  Image image;
  image.width = static_cast<int>(png.width);
  image.height = static_cast<int>(png.height);
  const size_t pixels = size_t{png.width} * png.height;
  // In place: a large picture is not in memory twice.
  for (size_t i = 1; i < pixels; ++i) {
    for (size_t c = 0; c < 3; ++c) rgba[3 * i + c] = rgba[4 * i + c];
  }
  rgba.resize(3 * pixels);
  image.rgb = std::move(rgba);
  return image;
}

}  // namespace ringlab
