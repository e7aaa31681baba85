// From a file's bytes to a model's input: main.py's ImageNet transforms, and those for small images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "data/formats/jpeg_decoder.h"
#include "data/pixels/resample.h"
#include "data/sources/data_set.h"

namespace ringlab {

/// A model's input: `channels` planes of size x size floats, normalised.
struct InputShape {
  int size = 224;
  int channels = 3;  ///< 3: red, green, blue; 1: luma (ITU-R 601, as Pillow's "L")

  size_t floats() const { return static_cast<size_t>(channels) * static_cast<size_t>(size) * static_cast<size_t>(size); }
};

/// ImageNet's means and deviations, per channel, for pixels in 0 … 1. One channel uses the mean of the three.
extern const float kMean[3];
extern const float kDeviation[3];
extern const float kGreyMean;
extern const float kGreyDeviation;

/// Up to this edge the small-image recipe is used: resize to the edge if needed, pad by 1/8, crop, flip.
constexpr int kSmallImage = 64;

/// RandomResizedCrop.get_params with scale (0.08, 1) and ratio (3/4, 4/3): left, top, width, height in whole pixels.
struct Crop {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};
Crop random_resized_crop(ImageSize size, Stream& random);

/// Converts images to inputs: one object per thread, which reuses its memory. The results equal torchvision's with PIL bit for
/// bit; of a JPEG only the part needed for the crop is decoded. With `draft`, if a crop has at least twice the wanted pixels in
/// each direction, a JPEG is decoded at 1/2, 1/4 or 1/8 of its size and then resampled: two averages in sequence, where PIL
/// computes one.
class Transformer {
 public:
  explicit Transformer(InputShape shape, bool draft = false);

  /// Training: RandomResizedCrop(size) and a flip; up to 64 px pad-crop and a flip. `out` has shape.floats() floats.
  /// Draws only from `random`. Throws BrokenImage.
  void train(const StoredImage& stored, Stream& random, float* out);

  /// Validation: shorter edge to size * 256 / 224, then the centre; up to 64 px the whole image resized to the edge.
  void validate(const StoredImage& stored, float* out);

  /// The whole image resized to the edge, whatever its size.
  void whole(const StoredImage& stored, float* out);

 private:
  ImageSize open(const StoredImage& stored);
  template <typename Sink>
  void resample(const Crop& crop, Resampling wanted, Sink sink);
  void to_square(const StoredImage& stored);
  void write_row(const uint8_t* rgbx, int y, float* out) const;

  InputShape shape_;
  bool draft_;
  JpegDecoder jpeg_;
  Resampler resampler_;
  Image decoded_;
  ImageView pixels_;              ///< decoded by open(); empty for a JPEG
  std::vector<uint8_t> square_;   ///< a small image, four bytes per pixel
  std::vector<uint8_t> row_;
};

}  // namespace ringlab
