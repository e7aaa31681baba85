// From a file's bytes to the numbers a model sees: main.py's ImageNet transforms, and those for small pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "data/image.h"
#include "data/random.h"

namespace ringlab {

/// ImageNet's means and deviations, per channel, for pixels in 0 … 1.
extern const float kMean[3];
extern const float kDeviation[3];

/// Up to this edge the small-image recipe is used: resize to the edge where needed, pad by 1/8, crop, flip.
constexpr int kSmallImage = 64;

/// Training: RandomResizedCrop(size) and a flip; up to 64 px pad-crop and a flip. `out` takes 3 * size * size floats,
/// channels first, normalised. Draws only from `random`. Throws BrokenImage.
void transform_for_training(const std::vector<uint8_t>& bytes, int size, Stream& random, float* out);

/// Validation: shorter edge to size * 256 / 224, then the centre; up to 64 px the whole picture resized to the edge.
void transform_for_validation(const std::vector<uint8_t>& bytes, int size, float* out);

/// RandomResizedCrop.get_params with scale (0.08, 1) and ratio (3/4, 4/3): left, top, width, height in whole pixels.
struct Crop {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};
Crop random_resized_crop(ImageSize size, Stream& random);

}  // namespace ringlab
