// Resampling as in Pillow, used by torchvision's transforms.
#pragma once

#include "data/formats/image.h"

namespace ringlab {

/// A rectangle of an image in pixels; its edges may be fractional.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// PIL's Image.resize((width, height), BILINEAR, box): a triangle filter that widens when it shrinks (antialias), first
/// horizontally, then vertically, rounded to 8 bits in between: bit-identical to Pillow.
Image resize_bilinear(ImageView source, int width, int height, const Box& box);

}  // namespace ringlab
