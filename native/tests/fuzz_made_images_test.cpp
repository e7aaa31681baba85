// PNG and JPEG files built field by field, some fields broken, with correct checksums: cases that byte mutations rarely
// reach.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "tests/fuzz.h"
#include "tests/made_images.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

std::string chunk(const std::string& kind, const std::string& data, Stream& random) {
  const std::string body = kind + data;
  const uint64_t length = chance(2, random) ? limit_number(random) : data.size();
  const uint64_t sum = chance(2, random) ? random.next() : crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return big_endian(length, 4) + body + big_endian(sum, 4);
}

std::string png(Stream& random) {
  const bool hostile = chance(70, random);
  uint64_t width = static_cast<uint64_t>(random.below(40)) + 1;
  uint64_t height = static_cast<uint64_t>(random.below(40)) + 1;
  int colour = one_of<int>({0, 2, 3, 4, 6}, random);
  int depth = colour == 3 ? one_of<int>({1, 2, 4, 8}, random) : colour == 0 ? one_of<int>({1, 2, 4, 8, 16}, random) : one_of<int>({8, 16}, random);
  int interlaced = chance(30, random) ? 1 : 0;
  const int channels = colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1;
  // The compressed data fit the original header, before it was broken.
  const size_t row = (width * static_cast<uint64_t>(channels * depth) + 7) / 8;
  std::string rows;
  for (uint64_t y = 0; y < height * (interlaced != 0 ? 2 : 1); ++y) rows += static_cast<char>(random.below(hostile ? 7 : 5)) + noise(row, random);
  if (hostile) {
    for (uint64_t* edge : {&width, &height}) {
      if (chance(15, random)) *edge = limit_number(random);
      else if (chance(10, random)) *edge = static_cast<uint64_t>(random.below(9000)) + 1;
    }
    if (chance(8, random)) colour = static_cast<int>(random.below(9));
    if (chance(8, random)) depth = static_cast<int>(random.below(34));
    if (chance(5, random)) interlaced = static_cast<int>(random.below(4));
    if (chance(10, random)) rows.resize(static_cast<size_t>(random.below(static_cast<int64_t>(rows.size()) + 1)));
    if (chance(2, random)) rows.append(size_t{1} << 22, '\0');
  }
  std::string header = big_endian(width, 4) + big_endian(height, 4) + static_cast<char>(depth) + static_cast<char>(colour) + std::string(2, '\0') + static_cast<char>(interlaced);
  if (hostile && chance(3, random)) header[10] = header[11] = static_cast<char>(random.below(3));
  if (hostile && chance(3, random)) header.resize(static_cast<size_t>(random.below(20)));
  std::vector<std::string> chunks = {chunk("IHDR", header, random)};
  if (colour == 3 || chance(10, random)) chunks.push_back(chunk("PLTE", noise(chance(hostile ? 20 : 0, random) ? static_cast<size_t>(random.below(1000)) : 3 * static_cast<size_t>(random.below(256) + 1), random), random));
  if (chance(20, random)) chunks.push_back(chunk("tRNS", noise(static_cast<size_t>(random.below(hostile ? 300 : 2)) + 1, random), random));
  if (chance(10, random)) chunks.push_back(chunk("gAMA", big_endian(hostile ? limit_number(random) : 45455, 4), random));
  if (chance(10, random)) chunks.push_back(chunk("cHRM", noise(32, random), random));
  if (chance(8, random)) chunks.push_back(chunk("sBIT", noise(static_cast<size_t>(random.below(6)), random), random));
  if (chance(8, random)) chunks.push_back(chunk("iCCP", std::string("p\0\0", 3) + deflated(chance(20, random) ? std::string(size_t{1} << 22, 'z') : noise(200, random)), random));
  if (chance(8, random)) chunks.push_back(chunk(one_of<std::string>({"tEXt", "zTXt", "iTXt", "eXIf", "sPLT", "hIST", "pHYs", "tIME", "acTL", "QQQQ", "qqqq"}, random), noise(static_cast<size_t>(random.below(300)), random), random));
  const std::string data = deflated(rows);
  size_t at = 0;
  do {
    const size_t part = chance(70, random) ? data.size() - at : static_cast<size_t>(random.below(static_cast<int64_t>(data.size() - at) + 1));
    chunks.push_back(chunk("IDAT", data.substr(at, part), random));
    at += part;
  } while (at < data.size() && chunks.size() < 40);
  if (!hostile || chance(90, random)) chunks.push_back(chunk("IEND", "", random));
  if (hostile && chance(15, random)) std::swap(chunks[static_cast<size_t>(random.below(static_cast<int64_t>(chunks.size())))], chunks[static_cast<size_t>(random.below(static_cast<int64_t>(chunks.size())))]);
  if (hostile && chance(8, random)) chunks.push_back(one_of(chunks, random));
  std::string file = "\x89PNG\r\n\x1a\n";
  for (const auto& one : chunks) file += one;
  return file;
}

/// A JPEG's segments; the last one includes the scan's data and everything after it.
struct Segment {
  uint8_t marker = 0;
  std::string data;    ///< without its length
  std::string behind;  ///< entropy-coded data
};

std::vector<Segment> segments_of(const std::string& bytes) {
  std::vector<Segment> out;
  size_t at = 2;
  while (at + 4 <= bytes.size() && static_cast<uint8_t>(bytes[at]) == 0xFF && static_cast<uint8_t>(bytes[at + 1]) != 0xD9) {
    Segment segment;
    segment.marker = static_cast<uint8_t>(bytes[at + 1]);
    const size_t length = static_cast<size_t>(static_cast<uint8_t>(bytes[at + 2])) << 8 | static_cast<uint8_t>(bytes[at + 3]);
    segment.data = bytes.substr(at + 4, length - 2);
    at += 2 + length;
    if (segment.marker == 0xDA) {
      const size_t from = at;
      while (at + 1 < bytes.size() && (static_cast<uint8_t>(bytes[at]) != 0xFF || bytes[at + 1] == 0 || (static_cast<uint8_t>(bytes[at + 1]) & 0xF8) == 0xD0)) ++at;
      segment.behind = bytes.substr(from, at - from);
    }
    out.push_back(segment);
  }
  return out;
}

void break_segment(Segment& segment, Stream& random) {
  auto& data = segment.data;
  const auto put = [&](size_t place, char value) {
    if (place < data.size()) data[place] = value;
  };
  const bool frame = segment.marker >= 0xC0 && segment.marker <= 0xC2;
  if (frame && chance(60, random)) {
    switch (random.below(5)) {
      case 0: put(0, static_cast<char>(random.below(17))); return;
      case 1: data.replace(1, 2, big_endian(limit_number(random), 2)); return;
      case 2: data.replace(3, 2, big_endian(limit_number(random), 2)); return;
      case 3: put(5, static_cast<char>(random.below(6))); return;
      default: put(6 + 3 * static_cast<size_t>(random.below(3)) + static_cast<size_t>(random.below(3)), static_cast<char>(one_of<int>({0, 1, 2, 3, 4, 0x11, 0x12, 0x21, 0x22, 0x14, 0x41, 0x44, 0xFF}, random)));
    }
    return;
  }
  if (segment.marker == 0xDA && chance(60, random)) {
    const size_t components = data.empty() ? 0 : static_cast<size_t>(static_cast<uint8_t>(data[0]));
    switch (random.below(4)) {
      case 0: put(0, static_cast<char>(random.below(6))); return;
      case 1: put(1 + static_cast<size_t>(random.below(8)), static_cast<char>(limit_number(random))); return;
      case 2: put(1 + 2 * components + static_cast<size_t>(random.below(2)), static_cast<char>(random.below(66))); return;
      default: put(3 + 2 * components, static_cast<char>(one_of<int>({0, 1, 0x10, 0x21, 0xD0, 0x0D, 0xFF}, random)));
    }
    return;
  }
  if (segment.marker == 0xC4 && chance(60, random)) {
    put(static_cast<size_t>(random.below(17)), static_cast<char>(random.below(256)));
    return;
  }
  if (!data.empty() && chance(50, random)) put(static_cast<size_t>(random.below(static_cast<int64_t>(data.size()))), static_cast<char>(random.below(256)));
  else data.resize(static_cast<size_t>(random.below(static_cast<int64_t>(data.size()) + 20)));
}

std::string jpeg(Stream& random) {
  static const std::vector<std::vector<Segment>> samples = [] {
    std::vector<std::vector<Segment>> all;
    for (const char* name : {"baseline.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "exif.jpg"}) all.push_back(segments_of(file_text(std::string(RINGLAB_TEST_SAMPLES "/") + name)));
    return all;
  }();
  std::vector<Segment> segments = one_of(samples, random);
  const auto any = [&]() -> Segment& { return segments[static_cast<size_t>(random.below(static_cast<int64_t>(segments.size())))]; };
  for (int64_t changes = random.below(4); changes > 0; --changes) {
    switch (random.below(8)) {
      case 0: std::swap(any(), any()); break;
      case 1: segments.push_back(any()); break;
      case 2: segments.insert(segments.begin() + random.below(static_cast<int64_t>(segments.size())), one_of(one_of(samples, random), random)); break;
      case 3:
        if (segments.size() > 1) segments.erase(segments.begin() + random.below(static_cast<int64_t>(segments.size())));
        break;
      case 4: segments.insert(segments.begin(), {0xDD, big_endian(limit_number(random), 2), ""}); break;
      default: break_segment(any(), random);
    }
  }
  if (chance(3, random)) {  // the same scan many times: each processes the whole image
    for (const auto& segment : segments) {
      if (segment.marker != 0xDA) continue;
      const Segment scan = segment;
      segments.insert(segments.end(), static_cast<size_t>(random.below(3000)), scan);
      break;
    }
    for (auto& segment : segments) {
      if (segment.marker >= 0xC0 && segment.marker <= 0xC2 && segment.data.size() > 5 && chance(50, random)) segment.data.replace(1, 4, big_endian(5000, 2) + big_endian(5000, 2));
    }
  }
  std::string file = "\xFF\xD8";
  for (const auto& segment : segments) {
    const uint64_t length = chance(1, random) ? limit_number(random) : segment.data.size() + 2;
    file += std::string("\xFF") + static_cast<char>(segment.marker) + big_endian(length, 2) + segment.data + segment.behind;
  }
  return chance(90, random) ? file + "\xFF\xD9" : file;
}

TEST(FuzzMade, Png) { fuzz_made("png", png, take_image); }
TEST(FuzzMade, Jpeg) { fuzz_made("jpeg", jpeg, take_image); }

/// Cases for the limits: each of these took gigabytes or minutes.
TEST(ImageAttack, LowClaimsOfManyPixelsAreRefusedWithBothNumbers) {
  Stream random({1});
  const std::string header = big_endian(30000, 4) + big_endian(30000, 4) + std::string("\x01\0\0\0\0", 5);
  const std::string body = std::string("IHDR") + header;
  const std::string file = std::string("\x89PNG\r\n\x1a\n") + big_endian(13, 4) + body + big_endian(crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size()), 4) + std::string("\0\0\0\0IDAT\0\0\0\0", 12);
  try {
    decode_png(std::vector<uint8_t>(file.begin(), file.end()));
    ADD_FAILURE() << "was read";
  } catch (const BrokenImage& error) {
    EXPECT_STREQ(error.what(), "PNG: its header claims 30000 x 30000 pixels; at most 178956970 are read");
  }
}

TEST(ImageAttack, LowThousandsOfScansAreNotGoneThrough) {
  auto segments = segments_of(file_text(RINGLAB_TEST_SAMPLES "/progressive.jpg"));
  std::string file = "\xFF\xD8";
  const auto add = [&](const Segment& segment) { file += std::string("\xFF") + static_cast<char>(segment.marker) + big_endian(segment.data.size() + 2, 2) + segment.data + segment.behind; };
  for (const auto& segment : segments) add(segment);
  const auto scan = std::find_if(segments.begin(), segments.end(), [](const Segment& one) { return one.marker == 0xDA; });
  for (int i = 0; i < 5000; ++i) add(*scan);
  file += "\xFF\xD9";
  try {
    decode_jpeg(std::vector<uint8_t>(file.begin(), file.end()));
    ADD_FAILURE() << "was read";
  } catch (const BrokenImage& error) {
    EXPECT_STREQ(error.what(), "JPEG: has too many scans");
  }
}

}  // namespace
}  // namespace ringlab
