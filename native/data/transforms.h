// From a file's bytes to the numbers a model sees: main.py's ImageNet transforms, and those for small pictures.
#pragma once

#include <cstddef>

#include "data/data_set.h"
#include "data/random.h"

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

/// Training: RandomResizedCrop(size) and a flip; up to 64 px pad-crop and a flip. `out` takes shape.floats().
/// Draws only from `random`. Throws BrokenImage.
void transform_for_training(const Picture& picture, InputShape shape, Stream& random, float* out);

/// Validation: shorter edge to size * 256 / 224, then the centre; up to 64 px the whole picture resized to the edge.
void transform_for_validation(const Picture& picture, InputShape shape, float* out);

/// The whole picture resized to the edge, whatever its size.
void transform_whole(const Picture& picture, InputShape shape, float* out);

/// RandomResizedCrop.get_params with scale (0.08, 1) and ratio (3/4, 4/3): left, top, width, height in whole pixels.
struct Crop {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};
Crop random_resized_crop(ImageSize size, Stream& random);

}  // namespace ringlab
