#include "data/pixels/resize.h"

#include <cstdint>

#include "data/pixels/resample.h"

namespace ringlab {

Image resize_bilinear(ImageView source, int width, int height, const Box& box) {
  Resampler resampler;
  resampler.start(source.width, source.height, {box, width, height, 0, 0, width, height, false});
  Image image{width, height, std::vector<uint8_t>(size_t{3} * static_cast<size_t>(width) * static_cast<size_t>(height))};
  uint8_t* out = image.rgb.data();
  feed(resampler, source, 0, 0, [&](const uint8_t* row) {
    for (int x = 0; x < width; ++x, row += 4, out += 3) {
      for (int c = 0; c < 3; ++c) out[c] = row[c];
    }
  });
  return image;
}

}  // namespace ringlab
