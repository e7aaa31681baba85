// JPEG, PNG, and the transforms of training and validation.
#include "data/formats/image.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cstddef>
#include <cstdint>

#include "data/pixels/resize.h"
#include "data/pixels/transforms.h"

namespace ringlab {
namespace {

Image gradient(int width, int height) {
  Image image{width, height, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (const int value : {x * 255 / width, y * 255 / height, 128}) image.rgb.push_back(static_cast<uint8_t>(value));
    }
  }
  return image;
}

std::vector<uint8_t> png_bytes(const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  png_image_write_to_memory(&png, nullptr, &size, 0, image.rgb.data(), 0, nullptr);
  std::vector<uint8_t> bytes(size);
  png_image_write_to_memory(&png, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr);
  return bytes;
}

TEST(Jpeg, ComesBackNearlyEqual) {
  const Image image = gradient(40, 24);
  const Image back = decode_jpeg(encode_jpeg(image, 95));
  ASSERT_EQ(back.width, 40);
  ASSERT_EQ(back.height, 24);
  for (size_t i = 0; i < image.rgb.size(); ++i) EXPECT_NEAR(back.rgb[i], image.rgb[i], 12);
}

TEST(Jpeg, DecodesAtAPartOfItsSize) {
  const auto bytes = encode_jpeg(gradient(100, 50), 90);
  const Image half = decode_jpeg(bytes, 2);
  EXPECT_EQ(half.width, 50);
  EXPECT_EQ(half.height, 25);
  EXPECT_EQ(jpeg_size(bytes).width, 100);
}

TEST(Jpeg, EveryCutIsNamedNeverACrash) {
  const auto bytes = encode_jpeg(gradient(32, 32), 90);
  for (size_t length = 0; length + 2 < bytes.size(); length += 3) {
    const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(decode_jpeg(cut), BrokenImage) << length;
  }
}

TEST(Jpeg, FlippedBytesNeverCrash) {
  const auto bytes = encode_jpeg(gradient(32, 32), 90);
  Stream random({1});
  for (int i = 0; i < 300; ++i) {
    auto broken = bytes;
    for (int k = 0; k < 4; ++k) broken[static_cast<size_t>(random.below(static_cast<int64_t>(broken.size())))] = static_cast<uint8_t>(random.below(256));
    try {
      decode_jpeg(broken);
    } catch (const BrokenImage&) {
    }
  }
}

TEST(Png, ComesBackEqual) {
  const Image image = gradient(17, 9);
  const Image back = decode_png(png_bytes(image));
  EXPECT_EQ(back.width, 17);
  EXPECT_EQ(back.rgb, image.rgb);
}

TEST(Png, ACutFileIsBroken) {
  auto bytes = png_bytes(gradient(17, 9));
  bytes.resize(bytes.size() / 2);
  EXPECT_THROW(decode_png(bytes), BrokenImage);
}

TEST(Transforms, ValidationCentresAndNormalises) {
  Image white{96, 80, std::vector<uint8_t>(96 * 80 * 3, 255)};
  std::vector<float> out(3 * 70 * 70);
  Transformer({70, 3}).validate(png_bytes(white), out.data());
  EXPECT_NEAR(out.front(), (1 - kMean[0]) / kDeviation[0], 1e-5);
  EXPECT_NEAR(out.back(), (1 - kMean[2]) / kDeviation[2], 1e-5);
}

TEST(Transforms, TrainingDependsOnItsKeyAlone) {
  const auto bytes = encode_jpeg(gradient(200, 150), 90);
  for (const int size : {32, 80}) {
    std::vector<float> a(static_cast<size_t>(3 * size * size));
    std::vector<float> b(a.size());
    std::vector<float> c(a.size());
    Stream one({7, 1, 3});
    Stream two({7, 1, 3});
    Stream three({7, 2, 3});
    Transformer({size, 3}).train(bytes, one, a.data());
    Transformer({size, 3}).train(bytes, two, b.data());
    Transformer({size, 3}).train(bytes, three, c.data());
    EXPECT_EQ(a, b);
    EXPECT_NE(a, c);
  }
}

TEST(Transforms, CropsLieInside) {
  Stream random({5});
  for (int i = 0; i < 2000; ++i) {
    const ImageSize size{static_cast<int>(1 + random.below(300)), static_cast<int>(1 + random.below(300))};
    const Crop crop = random_resized_crop(size, random);
    EXPECT_GE(crop.left, 0);
    EXPECT_GE(crop.top, 0);
    EXPECT_GE(crop.width, 1);
    EXPECT_GE(crop.height, 1);
    EXPECT_LE(crop.left + crop.width, size.width);
    EXPECT_LE(crop.top + crop.height, size.height);
  }
}

}  // namespace
}  // namespace ringlab
