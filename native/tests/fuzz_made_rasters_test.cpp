// TIFF, WebP, BMP and netpbm files built field by field, some fields broken: tags, counts, offsets, sizes of strips, tiles and chunks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "tests/fuzz.h"
#include "tests/made_images.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

/// The number, or sometimes one that overflows sums.
uint64_t field(uint64_t sound, int64_t percent, Stream& random) {
  if (!chance(percent, random)) return sound;
  return chance(60, random) ? limit_number(random) : static_cast<uint64_t>(random.below(300));
}

/// Writes numbers in the file's byte order.
struct Order {
  bool big;
  std::string operator()(uint64_t value, int bytes) const { return big ? big_endian(value, bytes) : little_endian(value, bytes); }
};

int bytes_of_type(int type) { return type == 3 ? 2 : type == 4 ? 4 : type == 16 ? 8 : 1; }

struct Tag {
  int type = 3;
  std::vector<uint64_t> values;
};

std::string pack_bits(const std::string& bytes) {
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += 128) {
    const std::string piece = bytes.substr(at, 128);
    out += static_cast<char>(piece.size() - 1);
    out += piece;
  }
  return out;
}

std::string tiff(Stream& random) {
  const bool hostile = chance(75, random);
  const int64_t percent = hostile ? 4 : 0;
  const Order number{chance(40, random)};
  const bool big_file = chance(20, random);
  const uint64_t width = static_cast<uint64_t>(random.below(48)) + 1;
  const uint64_t height = static_cast<uint64_t>(random.below(48)) + 1;
  const uint64_t photometric = one_of<uint64_t>({0, 1, 2, 3, 5, 6}, random);
  const uint64_t samples = (photometric == 2 || photometric == 6 ? 3 : photometric == 5 ? 4 : 1) + (chance(15, random) ? 1 : 0);
  const uint64_t bits = photometric <= 1 && samples == 1 ? one_of<uint64_t>({1, 2, 4, 8, 16, 32}, random) : chance(15, random) ? 16 : 8;
  const uint64_t compression = one_of<uint64_t>({1, 1, 5, 8, 32773, 32946, 2, 3, 4, 7, 34712, 50000}, random);
  const bool planes = samples > 1 && chance(25, random);
  const bool tiled = chance(30, random);
  const uint64_t edge = 16 * (static_cast<uint64_t>(random.below(3)) + 1);
  const uint64_t rows = static_cast<uint64_t>(random.below(static_cast<int64_t>(height))) + 1;
  const uint64_t row_bytes = ((tiled ? edge : width) * bits * (planes ? 1 : samples) + 7) / 8;
  uint64_t parts = tiled ? (width + edge - 1) / edge * ((height + edge - 1) / edge) : (height + rows - 1) / rows;
  if (planes) parts *= samples;

  std::string body;
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> counts;
  const uint64_t head = big_file ? 16 : 8;
  for (uint64_t part = 0; part < parts; ++part) {
    std::string data = noise(static_cast<size_t>(row_bytes * (tiled ? edge : rows)), random);
    if (compression == 8 || compression == 32946) data = deflated(data);
    else if (compression == 32773) data = pack_bits(data);
    if (hostile && chance(4, random)) data.resize(static_cast<size_t>(random.below(static_cast<int64_t>(data.size()) + 1)));
    offsets.push_back(field(head + body.size(), percent, random));
    counts.push_back(field(data.size(), percent, random));
    body += data;
  }
  std::map<int, Tag> tags;
  tags[256] = {4, {field(width, percent, random)}};
  tags[257] = {4, {field(height, percent, random)}};
  tags[258] = {3, std::vector<uint64_t>(static_cast<size_t>(samples), field(bits, percent, random))};
  tags[259] = {3, {field(compression, percent, random)}};
  tags[262] = {3, {field(photometric, percent, random)}};
  tags[274] = {3, {static_cast<uint64_t>(random.below(hostile ? 12 : 8)) + 1}};
  tags[277] = {3, {field(samples, percent, random)}};
  tags[284] = {3, {field(planes ? 2 : 1, percent, random)}};
  if (tiled) {
    tags[322] = {4, {field(edge, percent, random)}};
    tags[323] = {4, {field(edge, percent, random)}};
  } else {
    tags[278] = {4, {field(rows, percent, random)}};
  }
  const int place = big_file ? 16 : 4;
  tags[tiled ? 324 : 273] = {place, offsets};
  tags[tiled ? 325 : 279] = {place, counts};
  if (samples > 1 && chance(60, random)) tags[338] = {3, {field(static_cast<uint64_t>(random.below(3)), percent, random)}};
  if (photometric == 3) tags[320] = {3, std::vector<uint64_t>(hostile && chance(10, random) ? 7 : size_t{3} << std::min<uint64_t>(bits, 8), 0x8000)};
  if (chance(20, random)) tags[317] = {3, {field(static_cast<uint64_t>(random.below(3)) + 1, percent, random)}};
  if (chance(15, random)) tags[339] = {3, {static_cast<uint64_t>(random.below(6)) + 1}};
  if (photometric == 6) tags[530] = {3, {one_of<uint64_t>({1, 2, 4, 3, 0}, random), one_of<uint64_t>({1, 2, 4}, random)}};
  if (compression == 7 && chance(50, random)) tags[347] = {7, std::vector<uint64_t>(static_cast<size_t>(random.below(60)), 0xFF)};
  if (hostile && chance(20, random)) tags.erase(std::next(tags.begin(), random.below(static_cast<int64_t>(tags.size()))));
  if (hostile && chance(20, random)) tags[static_cast<int>(random.below(65536))] = {static_cast<int>(random.below(20)), {limit_number(random)}};

  const int wide = big_file ? 8 : 4;
  const uint64_t directory = head + body.size();
  uint64_t behind = directory + (big_file ? 8 : 2) + tags.size() * (big_file ? 20 : 12) + static_cast<uint64_t>(wide);
  std::string entries = number(field(tags.size(), percent / 2, random), big_file ? 8 : 2);
  std::string more;
  for (const auto& [tag, one] : tags) {
    std::string values;
    for (const uint64_t value : one.values) values += number(value, bytes_of_type(one.type));
    const int type = hostile && chance(2, random) ? static_cast<int>(random.below(20)) : one.type;
    entries += number(static_cast<uint64_t>(tag), 2) + number(static_cast<uint64_t>(type), 2) + number(field(one.values.size(), percent / 2, random), wide);
    if (values.size() <= static_cast<size_t>(wide)) {
      values.resize(static_cast<size_t>(wide), '\0');
      entries += values;
    } else {
      entries += number(field(behind + more.size(), percent, random), wide);
      more += values;
    }
  }
  // The next directory: none, or, for a cycle, this one.
  entries += number(hostile && chance(10, random) ? directory : 0, wide);
  std::string file = std::string(number.big ? "MM" : "II") + number(big_file ? 43 : 42, 2);
  if (big_file) file += number(field(8, percent, random), 2) + number(0, 2);
  file += number(field(directory, percent, random), wide) + body + entries + more;
  if (hostile && chance(5, random)) file.resize(static_cast<size_t>(random.below(static_cast<int64_t>(file.size()) + 1)));
  return file;
}

std::string bmp(Stream& random) {
  const bool hostile = chance(75, random);
  const int64_t percent = hostile ? 6 : 0;
  const uint64_t width = static_cast<uint64_t>(random.below(48)) + 1;
  const uint64_t height = static_cast<uint64_t>(random.below(48)) + 1;
  const uint64_t bits = one_of<uint64_t>({1, 4, 8, 16, 24, 32}, random);
  uint64_t compression = bits == 8 && chance(40, random) ? 1 : bits == 4 && chance(40, random) ? 2 : bits >= 16 && chance(30, random) ? 3 : 0;
  const bool runs = compression == 1 || compression == 2;
  std::string data;
  if (runs) {
    // Runs, literal pieces, ends of lines, deltas, also outside the image.
    for (int64_t commands = random.below(200); commands > 0; --commands) {
      const auto kind = random.below(10);
      if (kind < 5) data += static_cast<char>(random.below(256)), data += static_cast<char>(random.below(256));
      else if (kind < 7) data += std::string(2, '\0');
      else if (kind < 8) data += std::string("\0\2", 2) + static_cast<char>(random.below(256)) + static_cast<char>(random.below(256));
      else data += std::string(1, '\0') + static_cast<char>(random.below(250) + 3) + noise(static_cast<size_t>(random.below(64)), random);
    }
    data += std::string("\0\1", 2);
  } else {
    data = noise(static_cast<size_t>(((width * bits + 31) / 32 * 4) * height), random);
  }
  const uint64_t header = one_of<uint64_t>({12, 40, 40, 40, 52, 56, 64, 108, 124}, random);
  const uint64_t colours = bits <= 8 ? uint64_t{1} << bits : 0;
  std::string info = little_endian(field(header, percent, random), 4);
  if (header == 12) {
    info += little_endian(field(width, percent, random), 2) + little_endian(field(height, percent, random), 2) + little_endian(1, 2) + little_endian(field(bits, percent, random), 2);
  } else {
    const uint64_t tall = chance(20, random) ? uint64_t{0} - height : height;
    info += little_endian(field(width, percent, random), 4) + little_endian(field(tall, percent, random), 4) + little_endian(field(1, percent, random), 2) + little_endian(field(bits, percent, random), 2);
    info += little_endian(field(compression, percent, random), 4) + little_endian(field(data.size(), percent, random), 4) + noise(8, random);
    info += little_endian(field(chance(50, random) ? colours : 0, percent, random), 4) + little_endian(0, 4);
    if (header >= 52 || compression == 3) {
      for (const uint64_t mask : {0xFF0000U, 0xFF00U, 0xFFU, 0xFF000000U}) info += little_endian(bits == 16 ? mask >> 8 & 0x7E0 : field(mask, percent, random), 4);
    }
    info.resize(std::max(info.size(), static_cast<size_t>(header)), '\0');
  }
  const std::string palette = noise(static_cast<size_t>(colours * (header == 12 ? 3 : 4)), random);
  const uint64_t offset = 14 + info.size() + palette.size();
  std::string file = "BM" + little_endian(field(offset + data.size(), percent, random), 4) + std::string(4, '\0') + little_endian(field(offset, percent, random), 4) + info + palette + data;
  if (hostile && chance(10, random)) file.resize(static_cast<size_t>(random.below(static_cast<int64_t>(file.size()) + 1)));
  return file;
}

std::string netpbm(Stream& random) {
  const bool hostile = chance(70, random);
  const int kind = static_cast<int>(random.below(hostile ? 9 : 6)) + 1;
  const uint64_t width = static_cast<uint64_t>(random.below(40)) + 1;
  const uint64_t height = static_cast<uint64_t>(random.below(40)) + 1;
  const uint64_t largest = one_of<uint64_t>({255, 255, 1, 15, 100, 65535}, random);
  const auto word = [&](uint64_t sound) {
    if (hostile && chance(4, random)) return one_of<std::string>({"", "-1", "0", "+3", "1e3", "0x10", "99999999999999999999", "١", "4294967297", "#"}, random);
    return std::to_string(field(sound, hostile ? 5 : 0, random));
  };
  const auto gap = [&] { return chance(10, random) ? std::string("\n# a comment\n") : hostile && chance(3, random) ? std::string() : std::string(1, one_of<char>({' ', '\n', '\t', '\r'}, random)); };
  std::string file = "P" + std::to_string(kind) + gap() + word(width) + gap() + word(height);
  if (kind % 3 != 1) file += gap() + word(largest);
  file += gap();
  const size_t values = static_cast<size_t>(width * height * (kind % 3 == 0 ? 3 : 1));
  if (kind <= 3) {
    for (size_t i = 0; i < values; ++i) file += word(static_cast<uint64_t>(random.below(static_cast<int64_t>(kind == 1 ? 2 : largest + 1)))) + (kind == 1 && chance(50, random) ? std::string() : gap());
  } else {
    file += noise(kind == 4 ? static_cast<size_t>((width + 7) / 8 * height) : values * (largest > 255 ? 2 : 1), random);
  }
  if (hostile && chance(15, random)) file.resize(static_cast<size_t>(random.below(static_cast<int64_t>(file.size()) + 1)));
  return file;
}

/// A file's RIFF chunks.
std::vector<std::pair<std::string, std::string>> chunks_of(const std::string& file) {
  std::vector<std::pair<std::string, std::string>> all;
  for (size_t at = 12; at + 8 <= file.size();) {
    const auto* p = reinterpret_cast<const uint8_t*>(file.data()) + at + 4;
    const size_t size = static_cast<size_t>(p[0]) | static_cast<size_t>(p[1]) << 8 | static_cast<size_t>(p[2]) << 16 | static_cast<size_t>(p[3]) << 24;
    all.emplace_back(file.substr(at, 4), file.substr(at + 8, size));
    at += 8 + size + size % 2;
  }
  return all;
}

std::string webp(Stream& random) {
  static const auto samples = [] {
    std::vector<std::vector<std::pair<std::string, std::string>>> all;
    for (const char* name : {"lossy.webp", "lossless.webp", "animated.webp"}) all.push_back(chunks_of(file_text(std::string(RINGLAB_TEST_SAMPLES "/") + name)));
    return all;
  }();
  auto chunks = one_of(samples, random);
  const auto any = [&]() -> auto& { return chunks[static_cast<size_t>(random.below(static_cast<int64_t>(chunks.size())))]; };
  for (int64_t changes = random.below(5); changes > 0 && !chunks.empty(); --changes) {
    auto& [name, data] = any();
    switch (random.below(8)) {
      case 0: name = one_of<std::string>({"VP8 ", "VP8L", "VP8X", "ANIM", "ANMF", "ALPH", "ICCP", "EXIF", "XMP ", "????"}, random); break;
      case 1: chunks.insert(chunks.begin() + random.below(static_cast<int64_t>(chunks.size()) + 1), one_of(one_of(samples, random), random)); break;
      case 2: chunks.erase(chunks.begin() + random.below(static_cast<int64_t>(chunks.size()))); break;
      case 3: data.resize(static_cast<size_t>(random.below(static_cast<int64_t>(data.size()) + 20))); break;
      case 4:
        // VP8X: flags and the canvas; ANMF: position, size, duration; VP8: the frame's tag and size; VP8L: its signature and
        // size.
        if (data.size() >= 16) data.replace(static_cast<size_t>(random.below(13)), 3, little_endian(limit_number(random), 3));
        break;
      case 5: std::swap(any(), any()); break;
      default:
        if (!data.empty()) data[static_cast<size_t>(random.below(static_cast<int64_t>(std::min<size_t>(data.size(), 64))))] = static_cast<char>(random.below(256));
    }
  }
  std::string body = "WEBP";
  for (const auto& [name, data] : chunks) {
    body += name + little_endian(chance(3, random) ? limit_number(random) : data.size(), 4) + data;
    if (data.size() % 2 == 1 && !chance(3, random)) body += '\0';
  }
  return "RIFF" + little_endian(chance(5, random) ? limit_number(random) : body.size(), 4) + body;
}

TEST(FuzzMade, Tiff) {
  if (!reads_tiff()) GTEST_SKIP() << "without libtiff";
  fuzz_made("tiff", tiff, take_image);
}

TEST(FuzzMade, Bmp) { fuzz_made("bmp", bmp, take_image); }
TEST(FuzzMade, Netpbm) { fuzz_made("netpbm", netpbm, take_image); }

TEST(FuzzMade, Webp) {
  if (!reads_webp()) GTEST_SKIP() << "without libwebp";
  fuzz_made("webp", webp, take_image);
}

/// Files built without a broken field are mostly accepted: otherwise the tests above would only test refusals.
TEST(FuzzMade, RastersAreMostlyImages) {
  const auto read_of_a_hundred = [](std::string (*make)(Stream&)) {
    int read = 0;
    for (uint64_t i = 0; i < 100; ++i) {
      Stream random({77, i});
      const std::string bytes = make(random);
      try {
        std::vector<float> out(InputShape{32, 3}.floats());
        Transformer({32, 3}).validate(StoredImage(std::vector<uint8_t>(bytes.begin(), bytes.end())), out.data());
        ++read;
      } catch (const BrokenImage&) {
      }
    }
    return read;
  };
  EXPECT_GE(read_of_a_hundred(bmp), 30);
  EXPECT_GE(read_of_a_hundred(netpbm), 30);
  if (reads_tiff()) {
    EXPECT_GE(read_of_a_hundred(tiff), 8);
  }
  if (reads_webp()) {
    EXPECT_GE(read_of_a_hundred(webp), 30);
  }
}

}  // namespace
}  // namespace ringlab
