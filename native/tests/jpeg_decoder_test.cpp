// Parts of images: equal to the same parts of the whole, for all kinds of files; damage is reported.
#include "data/formats/jpeg_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/random.h"
#include "data/pixels/transforms.h"
#include "tests/jpeg_kinds.h"

namespace ringlab {
namespace {

const JpegKind kKinds[] = {
    {"4:4:4"},
    {"4:2:2", JCS_RGB, JCS_YCbCr, 2, 1},
    {"4:2:0", JCS_RGB, JCS_YCbCr, 2, 2},
    {"4:4:0", JCS_RGB, JCS_YCbCr, 1, 2},
    {"4:1:1", JCS_RGB, JCS_YCbCr, 4, 1},
    {"grey", JCS_GRAYSCALE, JCS_GRAYSCALE},
    {"progressive 4:2:0", JCS_RGB, JCS_YCbCr, 2, 2, 1, 1, false, true},
    {"restarts", JCS_RGB, JCS_YCbCr, 2, 2, 1, 1, false, false, true, 3},
    {"CMYK", JCS_CMYK, JCS_CMYK},
};

/// The part as decoded, rows concatenated.
std::vector<uint8_t> part_of(JpegDecoder& decoder, const std::vector<uint8_t>& bytes, int denominator, int left, int end_column, int top, int end_row) {
  decoder.open(bytes);
  decoder.scale(denominator);
  decoder.start(left, end_column, top, end_row);
  std::vector<uint8_t> part;
  for (auto rows = decoder.next(); rows.count > 0; rows = decoder.next()) {
    for (int i = 0; i < rows.count; ++i) {
      const uint8_t* row = rows.rgb + static_cast<size_t>(i) * rows.stride;
      part.insert(part.end(), row, row + 3 * (end_column - left));
    }
  }
  return part;
}

TEST(JpegDecoder, APartIsThatPartOfTheWhole) {
  JpegDecoder decoder;
  Stream random({2});
  for (const JpegKind& kind : kKinds) {
    const auto bytes = encode_as(kind, 149, 117);
    for (const int denominator : {1, 2, 4, 8}) {
      const Image whole = decode_jpeg(bytes, denominator);
      ASSERT_EQ(whole.width, (149 + denominator - 1) / denominator);
      for (int i = 0; i < 60; ++i) {
        const auto left = static_cast<int>(random.below(whole.width));
        const auto top = static_cast<int>(random.below(whole.height));
        const auto end_column = left + 1 + static_cast<int>(random.below(whole.width - left));
        const auto end_row = top + 1 + static_cast<int>(random.below(whole.height - top));
        const auto part = part_of(decoder, bytes, denominator, left, end_column, top, end_row);
        ASSERT_EQ(part.size(), static_cast<size_t>(3 * (end_column - left) * (end_row - top)));
        for (size_t k = 0; k < part.size(); ++k) {
          const size_t x = static_cast<size_t>(left) + k / 3 % static_cast<size_t>(end_column - left);
          const size_t y = static_cast<size_t>(top) + k / 3 / static_cast<size_t>(end_column - left);
          ASSERT_EQ(part[k], whole.rgb[3 * (y * static_cast<size_t>(whole.width) + x) + k % 3])
              << kind.name << " at 1/" << denominator << ", pixel " << x << ", " << y << " of columns " << left << " to " << end_column << ", rows " << top << " to " << end_row;
        }
      }
    }
  }
}

/// Its coefficients take 288 MB. What claims to be as large and has no content is refused before memory is taken for it.
TEST(JpegDecoder, ALargeProgressiveFileIsDecodedAndASmallOneThatClaimsToBeOneIsNot) {
  JpegDecoder decoder;
  JpegKind kind{"progressive 4:4:4"};
  kind.progressive = true;
  const auto bytes = encode_rows(kind, 8000, 6000, [](int, std::vector<uint8_t>& row) { std::fill(row.begin(), row.end(), uint8_t{128}); });
  EXPECT_EQ(part_of(decoder, bytes, 1, 7990, 8000, 5990, 6000), std::vector<uint8_t>(300, 128));
  std::vector<uint8_t> claim(bytes.begin(), bytes.begin() + 1000);
  claim.push_back(0xFF);
  claim.push_back(JPEG_EOI);
  try {
    part_of(decoder, claim, 1, 0, 10, 0, 10);
    ADD_FAILURE() << "was read";
  } catch (const BrokenImage& error) {
    EXPECT_STREQ(error.what(), "JPEG: a progressive image that needs more memory than a file of its size gets");
  }
}

/// Pillow warns of more than 89,478,485 pixels and refuses more than twice as many.
TEST(Image, AsManyPixelsAreReadAsPillowReads) {
  EXPECT_NO_THROW(check_pixels("JPEG", 12000, 9000));
  EXPECT_NO_THROW(check_pixels("PNG", 2, 65535));
  EXPECT_NO_THROW(check_pixels("PNG", 13377, 13377));
  EXPECT_THROW(check_pixels("PNG", 13378, 13378), BrokenImage);
}

/// Only the upper rows are needed: a truncated file is still detected.
TEST(JpegDecoder, ACutFileIsBrokenWhereverThePartLies) {
  JpegDecoder decoder;
  for (const JpegKind& kind : kKinds) {
    const auto bytes = encode_as(kind, 64, 80);
    EXPECT_FALSE(part_of(decoder, bytes, 1, 3, 9, 2, 10).empty());
    for (size_t length = 0; length + 2 < bytes.size(); length += 7) {
      const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      EXPECT_THROW(part_of(decoder, cut, 1, 3, 9, 2, 10), BrokenImage) << kind.name << ", " << length << " of " << bytes.size();
    }
  }
}

TEST(JpegDecoder, MutatedFilesAreDecodedOrBrokenAndLeaveNoTrace) {
  JpegDecoder decoder;
  Stream random({5});
  for (const JpegKind& kind : kKinds) {
    const auto bytes = encode_as(kind, 90, 70);
    const auto expected = part_of(decoder, bytes, 1, 20, 70, 17, 50);
    for (int i = 0; i < 150; ++i) {
      auto broken = bytes;
      for (int k = 0; k < 3; ++k) broken[static_cast<size_t>(random.below(static_cast<int64_t>(broken.size())))] = static_cast<uint8_t>(random.below(256));
      try {
        const ImageSize size = decoder.open(broken);
        if (int64_t{size.width} * size.height > 1 << 20) continue;
        const ImageSize scaled = decoder.scale(1 << random.below(4));
        decoder.start(scaled.width / 4, scaled.width - scaled.width / 4, scaled.height / 4, scaled.height - scaled.height / 4);
        while (decoder.next().count > 0) {
        }
      } catch (const BrokenImage&) {
      }
    }
    EXPECT_EQ(part_of(decoder, bytes, 1, 20, 70, 17, 50), expected) << kind.name;
  }
}

/// torchvision's resized_crop and hflip of the decoded image, with our own functions.
TEST(Transforms, TrainingIsTheCropOfTheWholeImageResized) {
  const auto bytes = encode_as(kKinds[2], 149, 117);
  const Image whole = decode_jpeg(bytes);
  Transformer transformer({80, 3});
  std::vector<float> out(3 * 80 * 80);
  for (uint64_t i = 0; i < 20; ++i) {
    Stream random({i});
    transformer.train(bytes, random, out.data());
    Stream again({i});
    const Crop crop = random_resized_crop({149, 117}, again);
    const bool flip = again.uniform() < 0.5;
    Image cut{crop.width, crop.height, {}};
    for (int y = 0; y < crop.height; ++y) {
      const auto row = whole.rgb.begin() + 3 * ((crop.top + y) * 149 + crop.left);
      cut.rgb.insert(cut.rgb.end(), row, row + 3 * crop.width);
    }
    const Image resized = resize_bilinear(cut.view(), 80, 80, {0, 0, static_cast<double>(crop.width), static_cast<double>(crop.height)});
    for (size_t y = 0; y < 80; ++y) {
      for (size_t x = 0; x < 80; ++x) {
        for (size_t c = 0; c < 3; ++c) {
          const float level = static_cast<float>(resized.rgb[3 * (80 * y + (flip ? 79 - x : x)) + c]);
          ASSERT_EQ(out[(c * 80 + y) * 80 + x], (level / 255.0F - kMean[c]) / kDeviation[c]) << i << ": " << x << ", " << y;
        }
      }
    }
  }
}

/// With draft, decoded at a reduced size, only the order of averaging may differ.
TEST(Transforms, ALargeImageComesOutNearlyAsInFullWithDraft) {
  const auto bytes = encode_as(kKinds[2], 700, 620);
  const Image whole = decode_jpeg(bytes);
  std::vector<float> scaled(3 * 80 * 80);
  std::vector<float> full(scaled.size());
  std::vector<float> without_draft(scaled.size());
  Transformer({80, 3}, true).validate(bytes, scaled.data());
  Transformer({80, 3}).validate(bytes, without_draft.data());
  Transformer({80, 3}).validate(whole.view(), full.data());
  EXPECT_EQ(without_draft, full);
  double sum = 0;
  for (size_t i = 0; i < full.size(); ++i) {
    EXPECT_NEAR(scaled[i], full[i], 0.35);
    sum += std::abs(scaled[i] - full[i]);
  }
  EXPECT_LT(sum / static_cast<double>(full.size()), 0.03);
  EXPECT_NE(scaled, full);
}

}  // namespace
}  // namespace ringlab
