// JPEG decoding as a data loader needs it: the header once, then no more of the picture than will be used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/formats/image.h"

namespace ringlab {

/// Decodes one picture after the other and keeps its memory. Grey and CMYK become RGB; EXIF orientation is ignored, as
/// torchvision does. Not for use from several threads. All errors are BrokenImage; after one, open() starts again.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  /// Reads the header. `bytes` must stay until the picture's last rows.
  ImageSize open(const std::vector<uint8_t>& bytes);

  /// Sets the scale, 1/`denominator` of the size (1, 2, 4 or 8; the edges are rounded up), and returns the scaled size. At 1 the
  /// pixels are those of Pillow; at other sizes each is a block of 2, 4 or 8 by as many pixels, averaged in the frequencies.
  ImageSize scale(int denominator);

  /// Starts decoding columns left to end_column - 1 of rows top to end_row - 1 of the scaled picture. The pixels are those
  /// of a whole decoding; pixels around it are read but not computed, below the last row mostly not even read.
  void start(int left, int end_column, int top, int end_row);

  /// Rows that were decoded, from the top. `rgb` is pixel `left` of the first; `readable` bytes may be read from there.
  struct Rows {
    const uint8_t* rgb = nullptr;
    size_t stride = 0;
    size_t readable = 0;
    int count = 0;  ///< 0: no more
  };
  /// Valid until the next call. Before the last rows are handed out, a file that does not end as a JPEG does is read to its
  /// end: one that was cut off anywhere is broken.
  Rows next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringlab
