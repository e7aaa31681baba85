// The fast loops compared with the portable ones, parts with the whole, and all of it with Pillow.
#include "data/pixels/resample.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/random.h"

namespace ringlab {
namespace {

Image noise(int width, int height, uint64_t key) {
  Image image{width, height, std::vector<uint8_t>(size_t{3} * static_cast<size_t>(width) * static_cast<size_t>(height))};
  Stream random({key});
  // Mostly extreme levels, at which a sum could overflow.
  for (auto& value : image.rgb) value = static_cast<uint8_t>(random.below(4) == 0 ? random.below(256) : 255 * random.below(2));
  return image;
}

std::vector<uint8_t> resampled(const PixelKernels& kernels, const Image& image, const Resampling& wanted) {
  Resampler resampler(kernels);
  resampler.start(image.width, image.height, wanted);
  std::vector<uint8_t> out;
  const auto take = [&](const uint8_t* row) {
    for (int x = 0; x < wanted.columns; ++x) out.insert(out.end(), row + 4 * x, row + 4 * x + 3);
  };
  feed(resampler, image.view(), 0, 0, take);
  EXPECT_EQ(resampler.next(), nullptr);
  EXPECT_EQ(out.size(), static_cast<size_t>(3 * wanted.columns * wanted.rows));
  return out;
}

TEST(Resize, KeepsAFlatImageFlat) {
  Image flat{31, 17, std::vector<uint8_t>(31 * 17 * 3, 77)};
  for (const auto& [width, height] : {std::pair{7, 5}, {64, 64}, {31, 17}}) {
    for (const uint8_t value : resize_bilinear(flat.view(), width, height, {0, 0, 31, 17}).rgb) EXPECT_EQ(value, 77);
  }
}

TEST(Resize, IsPillowsToTheBit) {
  // An image of 7 x 5 pixels, level (37 i) % 251 at byte i. Expected: Pillow 9.4's resize((4, 3), BILINEAR), then
  // resize((9, 2), BILINEAR, box=(1.5, 0.25, 6, 4.5)).
  Image image{7, 5, std::vector<uint8_t>(105)};
  for (size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = static_cast<uint8_t>(37 * i % 251);
  const std::vector<uint8_t> smaller = {68, 93, 130, 171, 77, 114, 144, 125, 87, 128, 160, 134, 97, 131, 144, 107, 115, 141, 153, 88, 125, 163, 162, 96, 132, 169, 99, 116, 153, 100, 89, 126, 123, 116, 97, 134};
  const std::vector<uint8_t> boxed = {147, 135, 172, 174, 65, 102, 167, 58, 95, 125, 113, 150, 132, 126, 143, 187, 95, 73, 180, 88, 66, 110, 104, 121, 103, 140, 134, 148, 182, 89, 83, 112, 106, 76, 105, 127, 126, 160, 153, 136, 153, 146, 104, 83, 105, 97, 76, 113, 114, 131, 168, 135, 144, 161};
  EXPECT_EQ(resize_bilinear(image.view(), 4, 3, {0, 0, 7, 5}).rgb, smaller);
  EXPECT_EQ(resize_bilinear(image.view(), 9, 2, {1.5, 0.25, 6, 4.5}).rgb, boxed);
}

TEST(Resampler, AWindowIsThatPartOfTheWholeMirroredWhereAsked) {
  const Image image = noise(61, 47, 1);
  const Box box{2.25, 1, 60, 46.5};
  const Image whole = resize_bilinear(image.view(), 40, 33, box);
  for (const bool flip : {false, true}) {
    const auto part = resampled(pixel_kernels(), image, {box, 40, 33, 5, 7, 30, 20, flip});
    for (int y = 0; y < 20; ++y) {
      for (int x = 0; x < 90; ++x) {
        const int column = flip ? 29 - x / 3 : x / 3;
        ASSERT_EQ(part[static_cast<size_t>(90 * y + x)], whole.rgb[static_cast<size_t>(3 * (40 * (7 + y) + 5 + column) + x % 3)]) << x << ", " << y;
      }
    }
  }
}

/// Output rows may be requested late: source rows are kept.
TEST(Resampler, KeepsWhatNobodyAskedForYet) {
  const Image image = noise(50, 300, 8);
  const Resampling wanted{{0, 0, 50, 300}, 20, 90, 0, 0, 20, 90, false};
  Resampler resampler;
  resampler.start(50, 300, wanted);
  for (int y = resampler.first_row(); y < resampler.end_row(); ++y) resampler.take(image.rgb.data() + 150 * y, 150);
  std::vector<uint8_t> out;
  while (const uint8_t* row = resampler.next()) {
    for (int x = 0; x < 20; ++x) out.insert(out.end(), row + 4 * x, row + 4 * x + 3);
  }
  EXPECT_EQ(out, resampled(plain_kernels(), image, wanted));
}

TEST(PixelKernels, ComputeTheSameToTheBit) {
  if (avx2_kernels() == nullptr) GTEST_SKIP() << "no AVX2 here";
  Stream random({3});
  for (int i = 0; i < 200; ++i) {
    const int width = static_cast<int>(1 + random.below(i % 10 == 0 ? 900 : 90));
    const int height = static_cast<int>(1 + random.below(90));
    const Image image = noise(width, height, static_cast<uint64_t>(i));
    const double left = random.uniform(0, width - 0.5);
    const double top = random.uniform(0, height - 0.5);
    const int columns = static_cast<int>(1 + random.below(50));
    const int rows = static_cast<int>(1 + random.below(50));
    const Resampling wanted{{left, top, random.uniform(left + 0.5, width), random.uniform(top + 0.5, height)}, columns, rows, 0, 0, columns, rows, random.below(2) == 1};
    EXPECT_EQ(resampled(*avx2_kernels(), image, wanted), resampled(plain_kernels(), image, wanted)) << width << " x " << height << " to " << columns << " x " << rows;
  }
}

TEST(PixelKernels, NormaliseEveryLevelAsTwoDivisionsDo) {
  const Channel channels[3] = {{0.485F, 0.229F}, {0.456F, 0.224F}, {0.406F, 0.225F}};
  std::vector<uint8_t> levels(4 * 256);
  for (size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<uint8_t>(i / 4);
  // Large planes with aligned memory use non-temporal stores, also with an odd number of pixels.
  for (const size_t plane : {size_t{256}, size_t{1} << 14}) {
    for (const size_t count : {size_t{256}, size_t{253}}) {
      std::vector<float> out(3 * plane + 16, -9.0F);
      float* aligned = out.data() + (64 - reinterpret_cast<uintptr_t>(out.data()) % 64) % 64 / sizeof(float);
      pixel_kernels().to_colours(levels.data(), count, channels, aligned, plane);
      for (size_t c = 0; c < 3; ++c) {
        for (size_t i = 0; i < count; ++i) EXPECT_EQ(aligned[c * plane + i], (static_cast<float>(i) / 255.0F - channels[c].mean) / channels[c].deviation) << c << ", " << i;
        if (count < 256) {
          EXPECT_EQ(aligned[c * plane + count], -9.0F);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ringlab
