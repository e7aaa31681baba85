// Resampling as Pillow does it, which is what torchvision's transforms call.
#pragma once

#include "data/formats/image.h"

namespace ringlab {

/// Part of a picture in pixels of that picture; edges may fall between pixels.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// PIL's Image.resize((width, height), BILINEAR, box): a triangle filter that widens when it shrinks (antialias),
/// first across, then down, rounded to 8 bits between: equal to Pillow to the bit.
Image resize_bilinear(ImageView source, int width, int height, const Box& box);

}  // namespace ringlab
