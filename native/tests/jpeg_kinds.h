// JPEGs of all kinds that libjpeg writes, to test their parsers.
#pragma once

#include <cstdio>
// jpeglib.h needs FILE and size_t before it.
#include <jpeglib.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/random.h"

namespace ringlab {

/// How a JPEG is encoded; sampling factors as in its frame header.
struct JpegKind {
  const char* name;
  J_COLOR_SPACE from = JCS_RGB;
  J_COLOR_SPACE inside = JCS_YCbCr;
  int luma_across = 1;
  int luma_down = 1;
  int chroma_across = 1;
  int chroma_down = 1;
  bool arithmetic = false;
  bool progressive = false;
  bool marker = true;  ///< JFIF's or Adobe's
  unsigned restart = 0;
};

/// An image as `kind`. `paint(y, row)` fills each row, of width x components values.
template <typename Paint>
std::vector<uint8_t> encode_rows(const JpegKind& kind, int width, int height, Paint paint) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &out, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = kind.from == JCS_GRAYSCALE ? 1 : kind.from == JCS_CMYK ? 4 : 3;
  info.in_color_space = kind.from;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, kind.inside);
  jpeg_set_quality(&info, 88, TRUE);
  for (int i = 0; i < info.num_components; ++i) {
    const bool chroma = i == 1 || i == 2;
    info.comp_info[i].h_samp_factor = chroma ? kind.chroma_across : kind.luma_across;
    info.comp_info[i].v_samp_factor = chroma ? kind.chroma_down : kind.luma_down;
  }
  info.restart_interval = kind.restart;
  if (kind.progressive) jpeg_simple_progression(&info);
  info.arith_code = kind.arithmetic ? TRUE : FALSE;
  if (!kind.marker) info.write_JFIF_header = info.write_Adobe_marker = FALSE;
  jpeg_start_compress(&info, TRUE);
  std::vector<uint8_t> row(static_cast<size_t>(width * info.input_components));
  for (int y = 0; y < height; ++y) {
    paint(y, row);
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::vector<uint8_t> bytes(out, out + size);
  std::free(out);
  return bytes;
}

/// Slopes, rings and noise, as `kind`.
inline std::vector<uint8_t> encode_as(const JpegKind& kind, int width, int height) {
  Stream random({11});
  return encode_rows(kind, width, height, [&](int y, std::vector<uint8_t>& row) {
    const int components = static_cast<int>(row.size()) / width;
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < components; ++c) {
        const int ring = ((x - 40) * (x - 40) + (y - 30) * (y - 30)) / 60 % 2 * 90;
        row[static_cast<size_t>(x * components + c)] = static_cast<uint8_t>((ring + c * 50 + x + static_cast<int>(random.below(30))) & 255);
      }
    }
  });
}

}  // namespace ringlab
