// IDX files, CIFAR batches and packs built field by field, some of them broken.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "data/sources/cifar_images.h"
#include "data/sources/idx_images.h"
#include "data/sources/pack_format.h"
#include "data/sources/packed_images.h"
#include "tests/fuzz.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

/// A set may be refused, by a Failure that names one of its files; an accepted one returns images.
template <typename Open>
void read_all(const TemporaryFolder& folder, Open open) {
  try {
    const auto set = open();
    uint64_t sum = 0;
    for (int64_t i = 0; i < std::min<int64_t>(set.size(), 50); ++i) {
      const StoredImage stored = set.read(i);
      if (const auto* image = std::get_if<Image>(&stored)) {
        EXPECT_EQ(image->rgb.size(), size_t{3} * static_cast<size_t>(image->width) * static_cast<size_t>(image->height));
        for (const uint8_t value : image->rgb) sum += value;
      } else if (const auto* view = std::get_if<ImageView>(&stored)) {
        const size_t bytes = size_t{3} * static_cast<size_t>(view->width) * static_cast<size_t>(view->height);
        for (size_t k = 0; k < bytes; ++k) sum += view->rgb[k];
      }
      EXPECT_GE(set.label(i), 0);
      EXPECT_LT(set.label(i), static_cast<int32_t>(set.classes().size()));
      sum += set.name(i).size();
    }
    EXPECT_GT(sum, 0U);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(failure.what()).find(folder.path()), std::string::npos);
  }
}

/// gzip, sometimes with a wrong length or checksum.
std::string gzipped(const std::string& bytes, Stream& random) {
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (chance(15, random)) out.replace(out.size() - 8, 4, little_endian(limit_number(random), 4));
  if (chance(15, random)) out.replace(out.size() - 4, 4, little_endian(limit_number(random), 4));
  if (chance(15, random)) out.resize(static_cast<size_t>(random.below(static_cast<int64_t>(out.size()))));
  if (chance(10, random)) out += out;
  return out;
}

std::string idx(Stream& random) {
  const bool images = chance(60, random);
  std::vector<uint64_t> shape = {static_cast<uint64_t>(random.below(40)) + 1};
  if (images) shape.insert(shape.end(), {static_cast<uint64_t>(random.below(20)) + 1, static_cast<uint64_t>(random.below(20)) + 1});
  size_t bytes = 1;
  for (const uint64_t extent : shape) bytes *= extent;
  uint64_t type = 0x08;
  uint64_t dimensions = shape.size();
  if (chance(60, random)) {
    if (chance(50, random)) shape[static_cast<size_t>(random.below(static_cast<int64_t>(shape.size())))] = limit_number(random);
    if (chance(10, random)) type = limit_number(random);
    if (chance(10, random)) dimensions = limit_number(random);
    if (chance(20, random)) bytes = static_cast<size_t>(random.below(20000));
    if (chance(3, random)) bytes = size_t{1} << 22;
    if (chance(10, random)) shape.push_back(limit_number(random));
  }
  std::string file = std::string(2, chance(3, random) ? '\1' : '\0') + static_cast<char>(type) + static_cast<char>(dimensions);
  for (const uint64_t extent : shape) file += big_endian(extent, 4);
  for (size_t i = 0; i < bytes; ++i) file += static_cast<char>(chance(1, random) ? 255 : 1 + i % 9);
  return chance(40, random) ? gzipped(file, random) : file;
}

TEST(FuzzMade, Idx) {
  const TemporaryFolder folder;
  const auto plain = [](const std::vector<uint64_t>& shape) {
    std::string file = std::string("\0\0\x08", 3) + static_cast<char>(shape.size());
    size_t bytes = 1;
    for (const uint64_t extent : shape) {
      file += big_endian(extent, 4);
      bytes *= extent;
    }
    return file + std::string(bytes, '\1');
  };
  write_text(folder / "images", plain({30, 5, 4}));
  write_text(folder / "labels", plain({30}));
  fuzz_made("idx", idx, [&](const std::string& bytes) {
    write_text(folder / "made", bytes);
    read_all(folder, [&] { return IdxImages(folder / "made", folder / "labels", 10); });
    read_all(folder, [&] { return IdxImages(folder / "images", folder / "made", 10); });
    read_all(folder, [&] { return IdxImages(folder / "made", folder / "made", 10); });
  });
}

/// A batch, and after "\n====\n" the class names.
std::string cifar(Stream& random) {
  const bool fine = chance(50, random);
  const int64_t classes = fine ? 100 : 10;
  std::string batch = fine ? "f" : "t";
  for (int64_t count = random.below(4) + 1; count > 0; --count) {
    if (fine) batch += static_cast<char>(random.below(20));
    batch += static_cast<char>(chance(10, random) ? random.below(256) : random.below(classes));
    batch += std::string(3072, static_cast<char>(random.below(255) + 1));
  }
  if (chance(20, random)) batch.resize(static_cast<size_t>(random.below(static_cast<int64_t>(batch.size())) + 1));
  if (chance(10, random)) batch += std::string(static_cast<size_t>(random.below(4000)), 'x');
  batch += "\n====\n";
  for (int64_t i = chance(20, random) ? random.below(300) : classes; i > 0; --i) {
    batch += chance(2, random) ? std::string(100000, 'n') : "class " + std::to_string(i);
    batch += chance(5, random) ? "\r\n\n" : "\n";
  }
  return batch;
}

TEST(FuzzMade, Cifar) {
  const TemporaryFolder folder;
  fuzz_made("cifar", cifar, [&](const std::string& bytes) {
    const size_t end = std::min(bytes.find("\n====\n"), bytes.size());
    const bool fine = bytes[0] == 'f';
    write_text(folder / "batch.bin", bytes.substr(1, end - 1));
    write_text(folder / (fine ? "fine_label_names.txt" : "batches.meta.txt"), end < bytes.size() ? bytes.substr(end + 6) : "");
    read_all(folder, [&] { return CifarImages(fine ? CifarImages::Kind::cifar100 : CifarImages::Kind::cifar10, folder.path(), {folder / "batch.bin"}); });
  });
}

std::string pack(Stream& random) {
  const bool hostile = chance(75, random);
  const auto number = [&](uint64_t sound) { return hostile && chance(6, random) ? limit_number(random) : sound; };
  const auto name = [&](const std::string& text) { return little_endian(number(text.size()), 4) + text; };
  std::string file = std::string(kPackHead, 8) + little_endian(number(kPackVersion), 4) + little_endian(0, 4);
  struct Place {
    uint64_t offset, width, height;
  };
  std::vector<Place> places;
  for (int64_t count = random.below(6) + 1; count > 0; --count) {
    const Place place{file.size(), static_cast<uint64_t>(random.below(9)) + 1, static_cast<uint64_t>(random.below(9)) + 1};
    file += std::string(3 * place.width * place.height, static_cast<char>(random.below(255) + 1));
    places.push_back(place);
  }
  std::string index = little_endian(number(256), 4);
  const uint64_t classes = static_cast<uint64_t>(random.below(4)) + 1;
  index += little_endian(number(classes), 4);
  for (uint64_t i = 0; i < classes; ++i) index += name("class " + std::to_string(i));
  index += little_endian(number(places.size()), 8);
  for (const Place& place : places) {
    index += little_endian(number(place.offset), 8) + little_endian(number(place.width), 4) + little_endian(number(place.height), 4);
    index += little_endian(number(static_cast<uint64_t>(random.below(static_cast<int64_t>(classes)))), 4) + name("a/b.jpg");
  }
  if (hostile && chance(10, random)) index.resize(static_cast<size_t>(random.below(static_cast<int64_t>(index.size()))));
  if (hostile && chance(5, random)) index += std::string(static_cast<size_t>(random.below(40)), '\0');
  const uint64_t offset = file.size();
  file += index + little_endian(number(offset), 8) + little_endian(number(index.size()), 8);
  file += little_endian(hostile && chance(3, random) ? random.next() : crc32_z(0, reinterpret_cast<const Bytef*>(index.data()), index.size()), 4);
  return file + little_endian(number(kPackVersion), 4) + std::string(kPackTail, 8);
}

TEST(FuzzMade, Pack) {
  const TemporaryFolder folder;
  const std::string path = folder / "made.pack";
  fuzz_made("pack", pack, [&](const std::string& bytes) {
    write_text(path, bytes);
    read_all(folder, [&] { return PackedImages(path); });
  });
}

}  // namespace
}  // namespace ringlab
