// Resampling as Pillow does it, a row at a time: source rows go in while they are decoded, output rows come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/pixel_kernels.h"
#include "data/resize.h"

namespace ringlab {

/// What is wanted: the source's `box` brought to width x height pixels, and of those `columns` x `rows` from (left, top) on,
/// mirrored where asked. Pillow's Image.resize((width, height), BILINEAR, box) and then crop((left, top, …)).
struct Resampling {
  Box box;
  int width = 0;
  int height = 0;
  int left = 0;
  int top = 0;
  int columns = 0;
  int rows = 0;
  bool flip = false;
};

/// Keeps its memory from picture to picture. Not for use from several threads.
class Resampler {
 public:
  /// Without another call, the fastest that the processor has.
  explicit Resampler(const PixelKernels& kernels = pixel_kernels()) : kernels_(kernels) {}

  /// `source_width` and `source_height`: where the source ends; beyond it nothing counts.
  void start(int source_width, int source_height, const Resampling& wanted);

  /// The source pixels that are needed: columns from first_column() to end_column() - 1, the same for rows.
  int first_column() const { return first_column_; }
  int end_column() const { return end_column_; }
  int first_row() const { return first_row_; }
  int end_row() const { return end_row_; }

  /// The next source row, from first_row() on; `rgb` is its pixel first_column(). `readable`: bytes that may be read there,
  /// at least those of the needed columns; some more save a copy.
  void take(const uint8_t* rgb, size_t readable);

  /// Output row y of those wanted, once all source rows are in: 4 bytes a pixel, red, green, blue and one of no meaning.
  /// Valid until the next call.
  const uint8_t* row(int y);

 private:
  const PixelKernels& kernels_;
  FilterTable across_;
  FilterTable down_;
  size_t touched_ = 0;
  int first_column_ = 0;
  int end_column_ = 0;
  int first_row_ = 0;
  int end_row_ = 0;
  int taken_ = 0;
  std::vector<uint8_t> padded_;  ///< a source row with room behind it
  std::vector<uint8_t> middle_;  ///< source rows resampled across
  std::vector<uint8_t> out_;
};

/// Gives `resampler` the rows that it needs: its source is what of `image` lies right of `left` and below `top`.
void feed(Resampler& resampler, ImageView image, int left, int top);

}  // namespace ringlab
