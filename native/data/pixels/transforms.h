// From a file's bytes to the numbers a model sees: main.py's ImageNet transforms, and those for small pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "data/formats/jpeg_decoder.h"
#include "data/pixels/resample.h"
#include "data/sources/data_set.h"

namespace ringlab {

/// What a model takes: `channels` planes of size x size floats, normalised.
struct InputShape {
  int size = 224;
  int channels = 3;  ///< 3: red, green, blue; 1: luma (ITU-R 601, as Pillow's "L")

  size_t floats() const { return static_cast<size_t>(channels) * static_cast<size_t>(size) * static_cast<size_t>(size); }
};

/// ImageNet's means and deviations, per channel, for pixels in 0 … 1. One channel takes the mean of the three.
extern const float kMean[3];
extern const float kDeviation[3];
extern const float kGreyMean;
extern const float kGreyDeviation;

/// Up to this edge the small-image recipe is used: resize to the edge where needed, pad by 1/8, crop, flip.
constexpr int kSmallImage = 64;

/// RandomResizedCrop.get_params with scale (0.08, 1) and ratio (3/4, 4/3): left, top, width, height in whole pixels.
struct Crop {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};
Crop random_resized_crop(ImageSize size, Stream& random);

/// Makes inputs of pictures: one for each thread that does so, with memory kept from picture to picture.
///
/// All is what torchvision computes with PIL, to the bit; a JPEG is decoded no further than its crop needs. With `draft`, where a crop has
/// at least twice the pixels that are wanted, each way, a JPEG is decoded at 1/2, 1/4 or 1/8 of its size and resampled from there:
/// two averages one after the other, where PIL takes one.
class Transformer {
 public:
  explicit Transformer(InputShape shape, bool draft = false);

  /// Training: RandomResizedCrop(size) and a flip; up to 64 px pad-crop and a flip. `out` takes shape.floats().
  /// Draws only from `random`. Throws BrokenImage.
  void train(const Picture& picture, Stream& random, float* out);

  /// Validation: shorter edge to size * 256 / 224, then the centre; up to 64 px the whole picture resized to the edge.
  void validate(const Picture& picture, float* out);

  /// The whole picture resized to the edge, whatever its size.
  void whole(const Picture& picture, float* out);

 private:
  ImageSize open(const Picture& picture);
  template <typename Sink>
  void resample(const Crop& crop, Resampling wanted, Sink sink);
  void to_square(const Picture& picture);
  void write_row(const uint8_t* rgbx, int y, float* out) const;

  InputShape shape_;
  bool draft_;
  JpegDecoder jpeg_;
  Resampler resampler_;
  Image decoded_;
  ImageView pixels_;              ///< what open() found; of a JPEG nothing
  std::vector<uint8_t> square_;   ///< a small picture, four bytes a pixel
  std::vector<uint8_t> row_;
};

}  // namespace ringlab
