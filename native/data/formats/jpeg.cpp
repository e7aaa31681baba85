// libjpeg reports errors by longjmp out of its own code: every object with a destructor is outside the jump.
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "data/formats/image.h"
#include "data/formats/jpeg_decoder.h"
#include "data/formats/jpeg_errors.h"

namespace ringlab {
namespace {

bool compress(jpeg_compress_struct& info, JpegErrors& errors, const Image& image, int quality, unsigned char** out, unsigned long* size) {
  if (setjmp(errors.jump) != 0) return false;
  jpeg_mem_dest(&info, out, size);
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.image_height = static_cast<JDIMENSION>(image.height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  info.dct_method = JDCT_ISLOW;
  for (int i = 0; i < info.num_components; ++i) info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    // libjpeg's interface is not const-correct: it only reads the row.
    JSAMPROW row = const_cast<JSAMPROW>(image.rgb.data() + size_t{3} * info.next_scanline * info.image_width);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return true;
}

}  // namespace

bool is_jpeg(const std::vector<uint8_t>& bytes) { return bytes.size() > 2 && bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes[2] == 0xFF; }

ImageSize jpeg_size(const std::vector<uint8_t>& bytes) { return JpegDecoder().open(bytes); }

Image decode_jpeg(const std::vector<uint8_t>& bytes, int denominator) {
  JpegDecoder decoder;
  decoder.open(bytes);
  const ImageSize size = decoder.scale(denominator);
  decoder.start(0, size.width, 0, size.height);
  Image image{size.width, size.height, {}};
  const size_t row = size_t{3} * static_cast<size_t>(size.width);
  image.rgb.reserve(row * static_cast<size_t>(size.height));
  for (auto rows = decoder.next(); rows.count > 0; rows = decoder.next()) {
    for (int i = 0; i < rows.count; ++i) {
      const uint8_t* from = rows.rgb + static_cast<size_t>(i) * rows.stride;
      image.rgb.insert(image.rgb.end(), from, from + row);
    }
  }
  return image;
}

std::vector<uint8_t> encode_jpeg(const Image& image, int quality) {
  jpeg_compress_struct info{};
  JpegErrors errors{};
  info.err = errors.set_up();
  jpeg_create_compress(&info);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  const bool ok = compress(info, errors, image, quality, &out, &size);
  jpeg_destroy_compress(&info);
  const std::unique_ptr<unsigned char, decltype(&std::free)> owner(out, &std::free);
  if (!ok) throw BrokenImage(std::string("JPEG: ") + errors.message);
  return std::vector<uint8_t>(out, out + size);
}

}  // namespace ringlab
