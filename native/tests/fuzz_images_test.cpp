// Images from outside: files of all formats, mutated, through all transforms of training and validation.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>

#include "data/pixels/transforms.h"
#include "tests/fuzz.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

std::vector<std::string> samples(const std::vector<const char*>& names) {
  std::vector<std::string> files;
  for (const char* name : names) files.push_back(file_text(std::string(RINGLAB_TEST_SAMPLES "/") + name));
  return files;
}

std::vector<std::string> jpegs() { return samples({"baseline.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "exif.jpg"}); }
std::vector<std::string> pngs() { return samples({"rgb.png", "grey.png", "alpha.png", "palette.png", "sixteen.png"}); }

std::vector<std::string> bitmaps() { return samples({"rle8.bmp", "palette.bmp", "fields.bmp", "plain.ppm", "raw.pgm", "bits.pbm", "interlaced.gif"}); }
std::vector<std::string> tiffs() { return reads_tiff() ? samples({"deflate.tif", "tiles.tif", "planes.tif", "jpeg.tif", "fax.tif", "ycbcr.tif", "big.tif"}) : std::vector<std::string>(); }
std::vector<std::string> webps() { return reads_webp() ? samples({"lossy.webp", "lossless.webp", "animated.webp"}) : std::vector<std::string>(); }

/// Refusals are BrokenImage with a message.
template <typename Read>
bool accepted(Read read) {
  try {
    read();
    return true;
  } catch (const BrokenImage& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
    return false;
  }
}

/// Both recipes for small images, both for large ones, colour and grey.
bool transforms_take(const std::string& bytes) {
  const StoredImage image = std::vector<uint8_t>(bytes.begin(), bytes.end());
  bool all = true;
  for (const InputShape shape : {InputShape{32, 3}, InputShape{72, 1}}) {
    std::vector<float> out(shape.floats());
    Transformer transformer(shape);
    all = accepted([&] {
            Stream random({bytes.size()});
            transformer.train(image, random, out.data());
          }) && all;
    all = accepted([&] { transformer.validate(image, out.data()); }) && all;
  }
  return all;
}

/// A PNG with corrected chunk checksums, so that the change reaches the code after them.
std::string with_checksums(std::string bytes) {
  size_t at = 8;
  while (at + 12 <= bytes.size()) {
    const auto* p = reinterpret_cast<const uint8_t*>(bytes.data()) + at;
    const size_t length = static_cast<size_t>(p[0]) << 24 | static_cast<size_t>(p[1]) << 16 | static_cast<size_t>(p[2]) << 8 | p[3];
    if (length > bytes.size() - at - 12) break;
    const uLong sum = crc32(0, p + 4, static_cast<uInt>(length + 4));
    for (size_t i = 0; i < 4; ++i) bytes[at + 8 + length + i] = static_cast<char>(sum >> (24 - 8 * i) & 0xFF);
    at += length + 12;
  }
  return bytes;
}

TEST(FuzzImages, SeedsAreRead) {
  for (const auto& bytes : jpegs()) EXPECT_TRUE(transforms_take(bytes));
  for (const auto& bytes : pngs()) EXPECT_TRUE(transforms_take(bytes));
  for (const auto& files : {bitmaps(), tiffs(), webps()}) {
    for (const auto& bytes : files) EXPECT_TRUE(transforms_take(bytes));
  }
  for (const auto& bytes : pngs()) EXPECT_EQ(with_checksums(bytes), bytes) << "the checksums are computed as PNG does";
}

TEST(FuzzImages, Jpeg) { fuzz("JPEG", jpegs(), [](const std::string& bytes) { transforms_take(bytes); }); }

TEST(FuzzImages, Png) { fuzz("PNG", pngs(), [](const std::string& bytes) { transforms_take(bytes); }); }

TEST(FuzzImages, Bitmap) { fuzz("BMP and PPM", bitmaps(), [](const std::string& bytes) { transforms_take(bytes); }); }

TEST(FuzzImages, Tiff) {
  if (!reads_tiff()) GTEST_SKIP() << "without libtiff";
  fuzz("TIFF", tiffs(), [](const std::string& bytes) { transforms_take(bytes); });
}

TEST(FuzzImages, Webp) {
  if (!reads_webp()) GTEST_SKIP() << "without libwebp";
  fuzz("WebP", webps(), [](const std::string& bytes) { transforms_take(bytes); });
}

TEST(FuzzImages, PngWithSoundChecksums) {
  fuzz("PNG chunks", pngs(), [](const std::string& bytes) { transforms_take(with_checksums(bytes)); });
}

}  // namespace
}  // namespace ringlab
