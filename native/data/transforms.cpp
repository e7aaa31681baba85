#include "data/transforms.h"

#include <algorithm>
#include <cmath>

#include "data/resize.h"

namespace ringlab {

const float kMean[3] = {0.485F, 0.456F, 0.406F};
const float kDeviation[3] = {0.229F, 0.224F, 0.225F};

const float kGreyMean = 0.449F;
const float kGreyDeviation = 0.226F;

namespace {

Image decode(const std::vector<uint8_t>& bytes) {
  if (is_jpeg(bytes)) return decode_jpeg(bytes);
  if (is_png(bytes)) return decode_png(bytes);
  throw BrokenImage(bytes.empty() ? "the file is empty" : "neither JPEG nor PNG");
}

/// A picture's pixels at full size; decoded ones lie in `storage`.
ImageView pixels_of(const Picture& picture, Image& storage) {
  if (const auto* view = std::get_if<ImageView>(&picture)) return *view;
  if (const auto* image = std::get_if<Image>(&picture)) return image->view();
  storage = decode(std::get<std::vector<uint8_t>>(picture));
  return storage.view();
}

/// Normalised values of the 256 levels of a channel.
struct Levels {
  float value[256];
  Levels(float mean, float deviation) {
    for (int v = 0; v < 256; ++v) value[v] = (static_cast<float>(v) / 255.0F - mean) / deviation;
  }
};

/// Pillow's convert("L"), to the bit.
uint8_t luma(const uint8_t* rgb) { return static_cast<uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16); }

/// Pixels (left + x, top + y) of the picture, black outside it, mirrored where asked, as normalised planes.
void to_planes(ImageView image, int left, int top, InputShape shape, bool flip, float* out) {
  static const Levels colours[3] = {{kMean[0], kDeviation[0]}, {kMean[1], kDeviation[1]}, {kMean[2], kDeviation[2]}};
  static const Levels grey(kGreyMean, kGreyDeviation);
  static constexpr uint8_t kBlack[3] = {0, 0, 0};
  const auto size = static_cast<size_t>(shape.size);
  const size_t plane = size * size;
  for (int y = 0; y < shape.size; ++y) {
    float* row = out + static_cast<size_t>(y) * size;
    const int from_y = top + y;
    const bool row_inside = from_y >= 0 && from_y < image.height;
    for (int x = 0; x < shape.size; ++x) {
      const int from_x = left + (flip ? shape.size - 1 - x : x);
      const bool inside = row_inside && from_x >= 0 && from_x < image.width;
      const uint8_t* pixel = inside ? image.rgb + 3 * (static_cast<size_t>(from_y) * static_cast<size_t>(image.width) + static_cast<size_t>(from_x)) : kBlack;
      if (shape.channels == 1) {
        row[x] = grey.value[luma(pixel)];
        continue;
      }
      for (size_t c = 0; c < 3; ++c) row[c * plane + static_cast<size_t>(x)] = colours[c].value[pixel[c]];
    }
  }
}

Box whole(ImageView image) { return {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)}; }

/// The whole picture at size x size; a resized one lies in `storage`.
ImageView to_square(ImageView image, int size, Image& storage) {
  if (image.width == size && image.height == size) return image;
  storage = resize_bilinear(image, size, size, whole(image));
  return storage.view();
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

void transform_for_training(const Picture& picture, InputShape shape, Stream& random, float* out) {
  const int size = shape.size;
  Image decoded;
  if (size <= kSmallImage) {
    Image resized;
    const ImageView image = to_square(pixels_of(picture, decoded), size, resized);
    const int pad = size / 8;
    const int left = static_cast<int>(random.below(2 * pad + 1)) - pad;
    const int top = static_cast<int>(random.below(2 * pad + 1)) - pad;
    to_planes(image, left, top, shape, random.uniform() < 0.5, out);
    return;
  }
  // A crop much larger than the target is decoded at 1/2, 1/4 or 1/8 of its size, by libjpeg in one go.
  int denominator = 1;
  ImageView image;
  Crop crop;
  const auto* file = std::get_if<std::vector<uint8_t>>(&picture);
  if (file != nullptr && is_jpeg(*file)) {
    crop = random_resized_crop(jpeg_size(*file), random);
    while (denominator < 8 && std::min(crop.width, crop.height) / (denominator * 2) >= size) denominator *= 2;
    decoded = decode_jpeg(*file, denominator);
    image = decoded.view();
  } else {
    image = pixels_of(picture, decoded);
    crop = random_resized_crop({image.width, image.height}, random);
  }
  const double shrink = denominator;
  const Box box{crop.left / shrink, crop.top / shrink, std::min<double>((crop.left + crop.width) / shrink, image.width),
                std::min<double>((crop.top + crop.height) / shrink, image.height)};
  to_planes(resize_bilinear(image, size, size, box).view(), 0, 0, shape, random.uniform() < 0.5, out);
}

void transform_for_validation(const Picture& picture, InputShape shape, float* out) {
  if (shape.size <= kSmallImage) return transform_whole(picture, shape, out);
  Image decoded;
  const ImageView image = pixels_of(picture, decoded);
  const int edge = shape.size * 256 / 224;
  const bool wide = image.width > image.height;
  const int shorter = wide ? image.height : image.width;
  const int longer = static_cast<int>(static_cast<int64_t>(edge) * (wide ? image.width : image.height) / shorter);
  const Image resized = resize_bilinear(image, wide ? longer : edge, wide ? edge : longer, whole(image));
  const int left = static_cast<int>(std::lrint((resized.width - shape.size) / 2.0));
  const int top = static_cast<int>(std::lrint((resized.height - shape.size) / 2.0));
  to_planes(resized.view(), left, top, shape, false, out);
}

void transform_whole(const Picture& picture, InputShape shape, float* out) {
  Image decoded;
  Image resized;
  to_planes(to_square(pixels_of(picture, decoded), shape.size, resized), 0, 0, shape, false, out);
}

}  // namespace ringlab
