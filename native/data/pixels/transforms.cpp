#include "data/pixels/transforms.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "data/formats/image_formats.h"

namespace ringlab {

const float kMean[3] = {0.485F, 0.456F, 0.406F};
const float kDeviation[3] = {0.229F, 0.224F, 0.225F};

const float kGreyMean = 0.449F;
const float kGreyDeviation = 0.226F;

namespace {

/// Pillow's convert("L"), bit for bit.
uint8_t luma(const uint8_t* rgb) { return static_cast<uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16); }

Crop whole_image(ImageSize size) { return {0, 0, size.width, size.height}; }

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

Transformer::Transformer(InputShape shape, bool draft) : shape_(shape), draft_(draft) {}

/// Its size; other formats than JPEG are already decoded here.
ImageSize Transformer::open(const StoredImage& stored) {
  pixels_ = {};
  if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&stored)) {
    if (is_jpeg(*bytes)) return jpeg_.open(*bytes);
    decoded_ = decode_image(*bytes);
    pixels_ = decoded_.view();
  } else if (const auto* image = std::get_if<Image>(&stored)) {
    pixels_ = image->view();
  } else {
    pixels_ = std::get<ImageView>(stored);
  }
  return {pixels_.width, pixels_.height};
}

/// Scales the opened image's `crop` to the wanted output (whose box is set here); `sink(row, y)` receives the rows from the top.
template <typename Sink>
void Transformer::resample(const Crop& crop, Resampling wanted, Sink sink) {
  int y = 0;
  if (pixels_.rgb != nullptr) {
    wanted.box = {0, 0, static_cast<double>(crop.width), static_cast<double>(crop.height)};
    resampler_.start(crop.width, crop.height, wanted);
    feed(resampler_, pixels_, crop.left, crop.top, [&](const uint8_t* row) { sink(row, y++); });
    return;
  }
  int denominator = 1;
  while (draft_ && denominator < 8 && crop.width / (denominator * 2) >= wanted.width && crop.height / (denominator * 2) >= wanted.height) denominator *= 2;
  const ImageSize scaled = jpeg_.scale(denominator);
  // At a reduced scale the crop's edges may be fractional: the source is all pixels that it touches.
  const double shrink = denominator;
  const int left = crop.left / denominator;
  const int top = crop.top / denominator;
  const double right = std::min<double>((crop.left + crop.width) / shrink, scaled.width);
  const double bottom = std::min<double>((crop.top + crop.height) / shrink, scaled.height);
  wanted.box = {crop.left / shrink - left, crop.top / shrink - top, right - left, bottom - top};
  resampler_.start(static_cast<int>(std::ceil(right)) - left, static_cast<int>(std::ceil(bottom)) - top, wanted);
  jpeg_.start(left + resampler_.first_column(), left + resampler_.end_column(), top + resampler_.first_row(), top + resampler_.end_row());
  for (auto rows = jpeg_.next(); rows.count > 0; rows = jpeg_.next()) {
    for (int i = 0; i < rows.count; ++i) {
      const size_t at = static_cast<size_t>(i) * rows.stride;
      resampler_.take(rows.rgb + at, rows.readable - at);
      while (const uint8_t* row = resampler_.next()) sink(row, y++);
    }
  }
}

/// Normalises row y of the input: `shape.size` pixels of four bytes.
void Transformer::write_row(const uint8_t* rgbx, int y, float* out) const {
  static const Channel colours[3] = {{kMean[0], kDeviation[0]}, {kMean[1], kDeviation[1]}, {kMean[2], kDeviation[2]}};
  static const Channel grey(kGreyMean, kGreyDeviation);
  const auto size = static_cast<size_t>(shape_.size);
  float* row = out + static_cast<size_t>(y) * size;
  if (shape_.channels == 3) return pixel_kernels().to_colours(rgbx, size, colours, row, size * size);
  for (size_t x = 0; x < size; ++x) row[x] = grey.values[luma(rgbx + 4 * x)];
}

/// Scales the whole image to the input's size, into square_.
void Transformer::to_square(const StoredImage& stored) {
  const ImageSize found = open(stored);
  const int size = shape_.size;
  const size_t stride = size_t{4} * static_cast<size_t>(size);
  square_.resize(stride * static_cast<size_t>(size));
  resample(whole_image(found), {{}, size, size, 0, 0, size, size, false},
           [&](const uint8_t* row, int y) { std::memcpy(square_.data() + static_cast<size_t>(y) * stride, row, stride); });
}

void Transformer::train(const StoredImage& stored, Stream& random, float* out) {
  const int size = shape_.size;
  if (size > kSmallImage) {
    const Crop crop = random_resized_crop(open(stored), random);
    const bool flip = random.uniform() < 0.5;
    resample(crop, {{}, size, size, 0, 0, size, size, flip}, [&](const uint8_t* row, int y) { write_row(row, y, out); });
    return;
  }
  to_square(stored);
  const int pad = size / 8;
  const int left = static_cast<int>(random.below(2 * pad + 1)) - pad;
  const int top = static_cast<int>(random.below(2 * pad + 1)) - pad;
  const bool flip = random.uniform() < 0.5;
  // Columns `begin` to `end` of the crop are inside the image; the padding around it is black.
  const int begin = std::max(0, -left);
  const int end = std::min(size, size - left);
  row_.assign(size_t{4} * static_cast<size_t>(size), 0);
  for (int y = 0; y < size; ++y) {
    if (top + y < 0 || top + y >= size) {
      std::fill(row_.begin(), row_.end(), uint8_t{0});
    } else {
      const uint8_t* from = square_.data() + size_t{4} * (static_cast<size_t>(top + y) * static_cast<size_t>(size) + static_cast<size_t>(left + begin));
      for (int x = begin; x < end; ++x, from += 4) std::memcpy(row_.data() + 4 * static_cast<size_t>(flip ? size - 1 - x : x), from, 4);
    }
    write_row(row_.data(), y, out);
  }
}

void Transformer::validate(const StoredImage& stored, float* out) {
  const int size = shape_.size;
  if (size <= kSmallImage) return whole(stored, out);
  const ImageSize found = open(stored);
  const int edge = size * 256 / 224;
  const bool wide = found.width > found.height;
  const int shorter = wide ? found.height : found.width;
  const int longer = static_cast<int>(static_cast<int64_t>(edge) * (wide ? found.width : found.height) / shorter);
  const int width = wide ? longer : edge;
  const int height = wide ? edge : longer;
  const int left = static_cast<int>(std::lrint((width - size) / 2.0));
  const int top = static_cast<int>(std::lrint((height - size) / 2.0));
  resample(whole_image(found), {{}, width, height, left, top, size, size, false}, [&](const uint8_t* row, int y) { write_row(row, y, out); });
}

void Transformer::whole(const StoredImage& stored, float* out) {
  to_square(stored);
  const size_t stride = size_t{4} * static_cast<size_t>(shape_.size);
  for (int y = 0; y < shape_.size; ++y) write_row(square_.data() + static_cast<size_t>(y) * stride, y, out);
}

}  // namespace ringlab
