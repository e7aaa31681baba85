// Resampling as in Pillow, row by row: source rows are added while they are decoded, output rows are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/pixels/pixel_kernels.h"
#include "data/pixels/resize.h"

namespace ringlab {

/// The wanted output: the source's `box` scaled to width x height pixels, and of those `columns` x `rows` from (left, top)
/// on, optionally mirrored. Pillow's Image.resize((width, height), BILINEAR, box) and then crop((left, top, …)).
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

/// Reuses its memory for each image. Not thread-safe.
class Resampler {
 public:
  /// By default the fastest kernels for the processor.
  explicit Resampler(const PixelKernels& kernels = pixel_kernels()) : kernels_(kernels) {}

  /// `source_width` and `source_height`: the source's end; pixels beyond it are ignored.
  void start(int source_width, int source_height, const Resampling& wanted);

  /// The needed source pixels: columns from first_column() to end_column() - 1, and the rows likewise.
  int first_column() const { return first_column_; }
  int end_column() const { return end_column_; }
  int first_row() const { return first_row_; }
  int end_row() const { return end_row_; }

  /// The next source row, from first_row() on; `rgb` is its pixel first_column(). `readable`: bytes that may be read there,
  /// at least those of the needed columns; a few more save a copy.
  void take(const uint8_t* rgb, size_t readable);

  /// The next wanted output row, or null if source rows are missing: 4 bytes per pixel, red, green, blue and an undefined one.
  /// Valid until the next call. Call it after each take() until null, so that the intermediate rows stay in the cache.
  const uint8_t* next();

 private:
  const PixelKernels& kernels_;
  FilterTable across_;
  FilterTable down_;
  size_t touched_ = 0;
  int first_column_ = 0;
  int end_column_ = 0;
  int first_row_ = 0;
  int end_row_ = 0;
  int taken_ = 0;  ///< source rows, from first_row_ on
  int kept_ = 0;   ///< the first source row in middle_
  int next_ = 0;   ///< output row
  std::vector<uint8_t> padded_;  ///< a copy of a source row with padding
  std::vector<uint8_t> middle_;  ///< the last source rows, resampled horizontally
  std::vector<uint8_t> out_;
};

/// Passes the needed rows to `resampler`: its source is the part of `image` right of `left` and below `top`.
/// `sink(row)` receives the output's rows from the top.
template <typename Sink>
void feed(Resampler& resampler, ImageView image, int left, int top, Sink sink) {
  const size_t stride = size_t{3} * static_cast<size_t>(image.width);
  const size_t size = stride * static_cast<size_t>(image.height);
  for (int y = resampler.first_row(); y < resampler.end_row(); ++y) {
    const size_t at = stride * static_cast<size_t>(top + y) + size_t{3} * static_cast<size_t>(left + resampler.first_column());
    resampler.take(image.rgb + at, size - at);
    while (const uint8_t* row = resampler.next()) sink(row);
  }
}

}  // namespace ringlab
