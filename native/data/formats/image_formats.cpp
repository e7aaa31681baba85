#include "data/formats/image_formats.h"

#include <cstring>

namespace ringlab {
namespace {

/// Other content often found under an image's name.
const char* other_format(const std::vector<uint8_t>& bytes) {
  const auto is = [&](size_t at, const char* word) { return bytes.size() >= at + std::strlen(word) && std::memcmp(bytes.data() + at, word, std::strlen(word)) == 0; };
  if (is(4, "ftypavif")) return "an AVIF image";
  if (is(4, "ftyphei") || is(4, "ftypmif1")) return "an HEIF image";
  if (is(0, "<") || is(0, "\xEF\xBB\xBF<")) return "a text (a web page, perhaps)";
  if (is(0, "version https://git-lfs")) return "a pointer of Git LFS, not the image";
  return nullptr;
}

}  // namespace

Image decode_image(const std::vector<uint8_t>& bytes) {
  if (is_jpeg(bytes)) return decode_jpeg(bytes);
  if (is_png(bytes)) return decode_png(bytes);
  if (is_webp(bytes)) return decode_webp(bytes);
  if (is_tiff(bytes)) return decode_tiff(bytes);
  if (is_bmp(bytes)) return decode_bmp(bytes);
  if (is_netpbm(bytes)) return decode_netpbm(bytes);
  if (is_gif(bytes)) return decode_gif(bytes);
  if (bytes.empty()) throw BrokenImage("the file is empty");
  if (const char* other = other_format(bytes)) throw BrokenImage(std::string("is ") + other + ": JPEG, PNG, WebP, TIFF, BMP, PPM and GIF are read");
  throw BrokenImage("neither JPEG, PNG, WebP, TIFF, BMP, PPM nor GIF");
}

ImageSize image_size(const std::vector<uint8_t>& bytes) {
  if (is_jpeg(bytes)) return jpeg_size(bytes);
  const Image image = decode_image(bytes);
  return {image.width, image.height};
}

}  // namespace ringlab
