// JPEG decoding for a data loader: reads the header once, then decodes only the needed part of the image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/formats/image.h"

namespace ringlab {

/// Decodes images one after the other and reuses its memory. Grey and CMYK are converted to RGB; EXIF orientation is
/// ignored, as in torchvision. Not thread-safe. All errors are BrokenImage; after one, call open() again.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  /// Reads the header. `bytes` must stay valid until the image's last rows.
  ImageSize open(const std::vector<uint8_t>& bytes);

  /// Sets the scale, 1/`denominator` of the size (1, 2, 4 or 8; the edges are rounded up), and returns the scaled size. At 1 the
  /// pixels equal Pillow's; at other scales each is a block of 2, 4 or 8 by as many pixels, averaged in the DCT domain.
  ImageSize scale(int denominator);

  /// Starts decoding columns left to end_column - 1 of rows top to end_row - 1 of the scaled image. The pixels equal those
  /// of a full decoding; pixels around them are parsed but not computed, and most below the last row are not even read.
  void start(int left, int end_column, int top, int end_row);

  /// Decoded rows, from the top. `rgb` is pixel `left` of the first; `readable` bytes may be read from there.
  struct Rows {
    const uint8_t* rgb = nullptr;
    size_t stride = 0;
    size_t readable = 0;
    int count = 0;  ///< 0: no more rows
  };
  /// Valid until the next call. Before the last rows are returned, a file without EOI marker at its end is read to the end:
  /// a truncated file is always detected.
  Rows next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringlab
