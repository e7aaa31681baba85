#include "data/transforms.h"

#include <algorithm>
#include <cmath>

#include "data/resize.h"

namespace ringlab {

const float kMean[3] = {0.485F, 0.456F, 0.406F};
const float kDeviation[3] = {0.229F, 0.224F, 0.225F};

namespace {

Image decode(const std::vector<uint8_t>& bytes) {
  if (is_jpeg(bytes)) return decode_jpeg(bytes);
  if (is_png(bytes)) return decode_png(bytes);
  throw BrokenImage(bytes.empty() ? "the file is empty" : "neither JPEG nor PNG");
}

/// Pixels (left + x, top + y) of the picture, black outside it, mirrored where asked, as normalised planes.
void to_planes(const Image& image, int left, int top, int size, bool flip, float* out) {
  float table[3][256];
  for (int c = 0; c < 3; ++c) {
    for (int v = 0; v < 256; ++v) table[c][v] = (static_cast<float>(v) / 255.0F - kMean[c]) / kDeviation[c];
  }
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const int from_x = left + (flip ? size - 1 - x : x);
      const int from_y = top + y;
      const bool inside = from_x >= 0 && from_y >= 0 && from_x < image.width && from_y < image.height;
      const uint8_t* pixel = inside ? image.rgb.data() + 3 * (static_cast<size_t>(from_y) * static_cast<size_t>(image.width) + static_cast<size_t>(from_x)) : nullptr;
      for (int c = 0; c < 3; ++c) {
        out[(static_cast<size_t>(c) * static_cast<size_t>(size) + static_cast<size_t>(y)) * static_cast<size_t>(size) + static_cast<size_t>(x)] =
            table[c][pixel != nullptr ? pixel[c] : 0];
      }
    }
  }
}

Box whole(const Image& image) { return {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)}; }

Image to_square(Image image, int size) {
  if (image.width == size && image.height == size) return image;
  return resize_bilinear(image, size, size, whole(image));
}

}  // namespace

Crop random_resized_crop(ImageSize size, Stream& random) {
  const double area = static_cast<double>(size.width) * size.height;
  const double low = std::log(3.0 / 4.0);
  const double high = std::log(4.0 / 3.0);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * random.uniform(0.08, 1.0);
    const double ratio = std::exp(random.uniform(low, high));
    const int width = static_cast<int>(std::lround(std::sqrt(target * ratio)));
    const int height = static_cast<int>(std::lround(std::sqrt(target / ratio)));
    if (width > 0 && height > 0 && width <= size.width && height <= size.height) {
      const auto top = static_cast<int>(random.below(size.height - height + 1));
      const auto left = static_cast<int>(random.below(size.width - width + 1));
      return {left, top, width, height};
    }
  }
  const double ratio = static_cast<double>(size.width) / size.height;
  Crop crop{0, 0, size.width, size.height};
  if (ratio < 3.0 / 4.0) crop.height = std::max(1, static_cast<int>(std::lround(size.width * 4.0 / 3.0)));
  else if (ratio > 4.0 / 3.0) crop.width = std::max(1, static_cast<int>(std::lround(size.height * 4.0 / 3.0)));
  crop.height = std::min(crop.height, size.height);
  crop.width = std::min(crop.width, size.width);
  crop.top = (size.height - crop.height) / 2;
  crop.left = (size.width - crop.width) / 2;
  return crop;
}

void transform_for_training(const std::vector<uint8_t>& bytes, int size, Stream& random, float* out) {
  if (size <= kSmallImage) {
    const Image image = to_square(decode(bytes), size);
    const int pad = size / 8;
    const int left = static_cast<int>(random.below(2 * pad + 1)) - pad;
    const int top = static_cast<int>(random.below(2 * pad + 1)) - pad;
    to_planes(image, left, top, size, random.uniform() < 0.5, out);
    return;
  }
  // A crop much larger than the target is decoded at 1/2, 1/4 or 1/8 of its size, by libjpeg in one go.
  int denominator = 1;
  Image image;
  Crop crop;
  if (is_jpeg(bytes)) {
    crop = random_resized_crop(jpeg_size(bytes), random);
    while (denominator < 8 && std::min(crop.width, crop.height) / (denominator * 2) >= size) denominator *= 2;
    image = decode_jpeg(bytes, denominator);
  } else {
    image = decode(bytes);
    crop = random_resized_crop({image.width, image.height}, random);
  }
  const double shrink = denominator;
  const Box box{crop.left / shrink, crop.top / shrink, std::min<double>((crop.left + crop.width) / shrink, image.width),
                std::min<double>((crop.top + crop.height) / shrink, image.height)};
  to_planes(resize_bilinear(image, size, size, box), 0, 0, size, random.uniform() < 0.5, out);
}

void transform_for_validation(const std::vector<uint8_t>& bytes, int size, float* out) {
  Image image = decode(bytes);
  if (size <= kSmallImage) {
    to_planes(to_square(std::move(image), size), 0, 0, size, false, out);
    return;
  }
  const int edge = size * 256 / 224;
  const bool wide = image.width > image.height;
  const int shorter = wide ? image.height : image.width;
  const int longer = static_cast<int>(static_cast<int64_t>(edge) * (wide ? image.width : image.height) / shorter);
  const Image resized = resize_bilinear(image, wide ? longer : edge, wide ? edge : longer, whole(image));
  const int left = static_cast<int>(std::lrint((resized.width - size) / 2.0));
  const int top = static_cast<int>(std::lrint((resized.height - size) / 2.0));
  to_planes(resized, left, top, size, false, out);
}

}  // namespace ringlab
