// libjpeg reports errors by a jump out of its own code: every object with a destructor lives outside the jump.
#include <cstdio>
// jpeglib.h wants FILE and size_t before it.
#include <jpeglib.h>
// and this one after it: the numbers of its messages.
#include <jerror.h>

#include <csetjmp>
#include <cstdlib>
#include <memory>

#include "data/image.h"

namespace ringlab {
namespace {

struct ErrorManager {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void on_error(j_common_ptr info) {
  auto* manager = reinterpret_cast<ErrorManager*>(info->err);
  (*info->err->format_message)(info, manager->message);
  std::longjmp(manager->jump, 1);
}

/// A truncated file is a warning to libjpeg, which fills the rest with grey: for training it is a broken image.
void on_emit(j_common_ptr info, int level) {
  if (level < 0) {
    ++info->err->num_warnings;
    if (info->err->msg_code == JWRN_HIT_MARKER || info->err->msg_code == JWRN_JPEG_EOF) on_error(info);
  }
}

void set_up(jpeg_error_mgr* base) {
  jpeg_std_error(base);
  base->error_exit = on_error;
  base->emit_message = on_emit;
  base->output_message = [](j_common_ptr) {};  // never to stderr: the message travels in the exception
}

/// Runs inside the jump; returns false with the message in `errors`. Nothing here owns memory but libjpeg itself.
bool read_header(jpeg_decompress_struct& info, ErrorManager& errors, const std::vector<uint8_t>& bytes) {
  if (setjmp(errors.jump) != 0) return false;
  jpeg_mem_src(&info, bytes.data(), static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&info, TRUE);
  return true;
}

bool start(jpeg_decompress_struct& info, ErrorManager& errors) {
  if (setjmp(errors.jump) != 0) return false;
  jpeg_start_decompress(&info);
  return true;
}

bool read_rows(jpeg_decompress_struct& info, ErrorManager& errors, uint8_t* pixels, size_t stride) {
  if (setjmp(errors.jump) != 0) return false;
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels + info.output_scanline * stride;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

bool compress(jpeg_compress_struct& info, ErrorManager& errors, const Image& image, int quality, unsigned char** out, unsigned long* size) {
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

/// jpeg_decompress_struct with its clean-up.
class Decompressor {
 public:
  Decompressor() {
    info.err = &errors.base;
    set_up(&errors.base);
    jpeg_create_decompress(&info);
  }
  ~Decompressor() { jpeg_destroy_decompress(&info); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  [[noreturn]] void fail() const { throw BrokenImage(std::string("JPEG: ") + errors.message); }

  jpeg_decompress_struct info{};
  ErrorManager errors{};
};

void open_header(Decompressor& decompressor, const std::vector<uint8_t>& bytes) {
  if (bytes.empty()) throw BrokenImage("the file is empty");
  if (!read_header(decompressor.info, decompressor.errors, bytes)) decompressor.fail();
  const auto& info = decompressor.info;
  if (int64_t{info.image_width} * info.image_height > kMaxPixels) throw BrokenImage("JPEG: its header claims too many pixels");
}

}  // namespace

bool is_jpeg(const std::vector<uint8_t>& bytes) { return bytes.size() > 2 && bytes[0] == 0xFF && bytes[1] == 0xD8; }

ImageSize jpeg_size(const std::vector<uint8_t>& bytes) {
  Decompressor decompressor;
  open_header(decompressor, bytes);
  return {static_cast<int>(decompressor.info.image_width), static_cast<int>(decompressor.info.image_height)};
}

Image decode_jpeg(const std::vector<uint8_t>& bytes, int denominator) {
  Decompressor decompressor;
  auto& info = decompressor.info;
  open_header(decompressor, bytes);
  const bool cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  const bool inverted = info.saw_Adobe_marker != 0;
  info.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(denominator);
  info.dct_method = JDCT_ISLOW;
  if (!start(info, decompressor.errors)) decompressor.fail();
  Image image;
  image.width = static_cast<int>(info.output_width);
  image.height = static_cast<int>(info.output_height);
  const size_t pixels = size_t{info.output_width} * info.output_height;
  const size_t channels = cmyk ? 4 : 3;
  std::vector<uint8_t> raw(pixels * channels);
  if (!read_rows(info, decompressor.errors, raw.data(), channels * info.output_width)) decompressor.fail();
  if (!cmyk) {
    image.rgb = std::move(raw);
    return image;
  }
  image.rgb.resize(pixels * 3);
  for (size_t i = 0; i < pixels; ++i) {
    const int black = inverted ? raw[4 * i + 3] : 255 - raw[4 * i + 3];
    for (size_t c = 0; c < 3; ++c) {
      const int ink = inverted ? raw[4 * i + c] : 255 - raw[4 * i + c];
      image.rgb[3 * i + c] = static_cast<uint8_t>(ink * black / 255);
    }
  }
  return image;
}

std::vector<uint8_t> encode_jpeg(const Image& image, int quality) {
  jpeg_compress_struct info{};
  ErrorManager errors{};
  info.err = &errors.base;
  set_up(&errors.base);
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
