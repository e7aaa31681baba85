#include "data/formats/jpeg_decoder.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "data/formats/jpeg_errors.h"
#include "data/formats/pillow_pixels.h"

namespace ringlab {
namespace {

/// Rows per call: as many as a row of blocks has with 4:2:0 chroma.
constexpr int kRows = 16;
/// After the last row, so that reads of a few bytes beyond a pixel are safe.
constexpr size_t kRoom = 64;

/// A scan processes all coefficients, and a small file can contain thousands of scans: encoders write ten.
void count_scans(j_common_ptr common) {
  constexpr int kMaxScans = 100;
  constexpr int64_t kMaxWork = 12 * kMaxPixels;
  const auto* info = reinterpret_cast<j_decompress_ptr>(common);
  const int64_t pixels = int64_t{info->image_width} * info->image_height;
  if (info->input_scan_number <= kMaxScans && info->input_scan_number * pixels <= kMaxWork) return;
  JpegErrors::fail_with(common, "has too many scans");
}

/// A progressive image's coefficients are kept as a whole. Of the largest image of four colours they take 8 bytes a pixel, and its edges are
/// rounded up to blocks. But a block of 128 bytes takes a bit of its file at least (not with arithmetic coding, where an image of one colour is
/// smaller): a small file that claims a large image gets no more than what most images need.
long memory_for(size_t file_bytes) {
  constexpr int64_t kAlways = int64_t{256} << 20;
  constexpr int64_t kMost = 8 * kMaxPixels + (int64_t{32} << 20);
  constexpr int64_t kPerByte = 8 * 128;
  static_assert(kMaxFileBytes < static_cast<uint64_t>(INT64_MAX / kPerByte));
  return static_cast<long>(std::clamp(static_cast<int64_t>(std::min(file_bytes, size_t{kMaxFileBytes})) * kPerByte, kAlways, kMost));
}

/// Bytes in memory. At their end libjpeg's own source inserts an EOI marker; as in Pillow, a read beyond the end means a
/// truncated file.
jpeg_source_mgr source_of(const std::vector<uint8_t>& bytes) {
  jpeg_source_mgr source{};
  source.next_input_byte = bytes.data();
  source.bytes_in_buffer = bytes.size();
  source.init_source = [](j_decompress_ptr) {};
  source.fill_input_buffer = [](j_decompress_ptr info) -> boolean { ERREXIT(info, JERR_INPUT_EOF); return FALSE; };
  source.skip_input_data = [](j_decompress_ptr info, long count) {
    if (count <= 0) return;
    if (static_cast<size_t>(count) > info->src->bytes_in_buffer) ERREXIT(info, JERR_INPUT_EOF);
    info->src->next_input_byte += count;
    info->src->bytes_in_buffer -= static_cast<size_t>(count);
  };
  source.resync_to_restart = jpeg_resync_to_restart;
  source.term_source = [](j_decompress_ptr) {};
  return source;
}

// Code inside the jump returns false with the message in `errors`. Only libjpeg itself owns memory there.

bool read_header(jpeg_decompress_struct& info, JpegErrors& errors, jpeg_source_mgr* source) {
  if (setjmp(errors.jump) != 0) return false;
  jpeg_abort_decompress(&info);
  info.src = source;
  jpeg_read_header(&info, TRUE);
  return true;
}

bool set_scale(jpeg_decompress_struct& info, JpegErrors& errors, int denominator) {
  if (setjmp(errors.jump) != 0) return false;
  info.out_color_space = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK ? JCS_CMYK : JCS_RGB;
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(denominator);
  info.dct_method = JDCT_ISLOW;
  jpeg_calc_output_dimensions(&info);
  return true;
}

/// On return `left` is the first decoded column: a block's edge.
bool start_decoding(jpeg_decompress_struct& info, JpegErrors& errors, JDIMENSION* left, JDIMENSION width, JDIMENSION top) {
  if (setjmp(errors.jump) != 0) return false;
  jpeg_start_decompress(&info);
  if (width < info.output_width) jpeg_crop_scanline(&info, left, &width);
  if (top > 0) jpeg_skip_scanlines(&info, top);
  return true;
}

/// At least one row, at most `count`, which receives the number read.
bool read_rows(jpeg_decompress_struct& info, JpegErrors& errors, JSAMPARRAY rows, int wanted, int* count) {
  if (setjmp(errors.jump) != 0) return false;
  do *count = static_cast<int>(jpeg_read_scanlines(&info, rows, static_cast<JDIMENSION>(wanted)));
  while (*count == 0);
  return true;
}

/// Decodes the remaining pixels to find errors. (jpeg_skip_scanlines would not decode them.)
bool read_to_end(jpeg_decompress_struct& info, JpegErrors& errors, JSAMPROW row) {
  if (setjmp(errors.jump) != 0) return false;
  while (info.output_scanline < info.output_height) jpeg_read_scanlines(&info, &row, 1);
  return true;
}

/// In place: four bytes become three. Pillow treats the inks of all files as inverted, as Adobe's are.
void cmyk_to_rgb(uint8_t* pixels, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint8_t inks[4];
    for (size_t c = 0; c < 4; ++c) inks[c] = static_cast<uint8_t>(255 - pixels[4 * i + c]);
    put_inks(inks, pixels + 3 * i);
  }
}

}  // namespace

struct JpegDecoder::State {
  State() {
    info.err = errors.set_up();
    jpeg_create_decompress(&info);
    watch.progress_monitor = count_scans;
    info.progress = &watch;
  }
  ~State() { jpeg_destroy_decompress(&info); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  [[noreturn]] void fail() const { throw BrokenImage(std::string("JPEG: ") + errors.message); }

  jpeg_decompress_struct info{};
  JpegErrors errors{};
  jpeg_progress_mgr watch{};
  jpeg_source_mgr source{};
  std::vector<uint8_t> rows;
  size_t stride = 0;
  size_t left = 0;  ///< offset of the wanted pixels in a decoded row
  int end_row = 0;
  bool whole_file = false;  ///< the file ends with EOI: it is not truncated
};

JpegDecoder::JpegDecoder() : state_(std::make_unique<State>()) {}
JpegDecoder::~JpegDecoder() = default;

ImageSize JpegDecoder::open(const std::vector<uint8_t>& bytes) {
  auto& s = *state_;
  if (bytes.empty()) throw BrokenImage("the file is empty");
  s.source = source_of(bytes);
  s.info.mem->max_memory_to_use = memory_for(bytes.size());
  if (!read_header(s.info, s.errors, &s.source)) s.fail();
  check_pixels("JPEG", s.info.image_width, s.info.image_height);
  s.whole_file = bytes.size() > 2 && bytes[bytes.size() - 2] == 0xFF && bytes[bytes.size() - 1] == JPEG_EOI;
  return {static_cast<int>(s.info.image_width), static_cast<int>(s.info.image_height)};
}

ImageSize JpegDecoder::scale(int denominator) {
  auto& s = *state_;
  if (!set_scale(s.info, s.errors, denominator)) s.fail();
  return {static_cast<int>(s.info.output_width), static_cast<int>(s.info.output_height)};
}

void JpegDecoder::start(int left, int end_column, int top, int end_row) {
  auto& s = *state_;
  // Chroma is interpolated between neighbours: with a margin the region's edges are as in the whole image.
  constexpr int kMargin = 2;
  const int from = std::max(0, left - kMargin);
  const int to = std::min(static_cast<int>(s.info.output_width), end_column + kMargin);
  auto begin = static_cast<JDIMENSION>(from);
  if (!start_decoding(s.info, s.errors, &begin, static_cast<JDIMENSION>(to - from), static_cast<JDIMENSION>(top))) s.fail();
  s.left = static_cast<size_t>(left) - begin;
  s.end_row = end_row;
  s.stride = size_t{s.info.output_width} * static_cast<size_t>(s.info.output_components);
  s.rows.resize(std::max(s.rows.size(), kRows * s.stride + kRoom));
}

JpegDecoder::Rows JpegDecoder::next() {
  auto& s = *state_;
  const int left = s.end_row - static_cast<int>(s.info.output_scanline);
  if (left <= 0) return {};
  JSAMPROW rows[kRows];
  for (size_t i = 0; i < kRows; ++i) rows[i] = s.rows.data() + i * s.stride;
  int count = 0;
  if (!read_rows(s.info, s.errors, rows, std::min(left, kRows), &count)) s.fail();
  if (s.info.out_color_space == JCS_CMYK) {
    for (int i = 0; i < count; ++i) cmyk_to_rgb(rows[i], s.info.output_width);
  }
  if (count == left && !s.whole_file) {
    s.end_row = 0;
    std::vector<uint8_t> unused(s.stride);
    if (!read_to_end(s.info, s.errors, unused.data())) s.fail();
  }
  const size_t at = 3 * s.left;
  return {s.rows.data() + at, s.stride, s.rows.size() - at, count};
}

}  // namespace ringlab
