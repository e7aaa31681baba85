// Packs from outside: mutated files, and mutated indices with a correct checksum, are read or refused, nothing else.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>

#include "base/error.h"
#include "data/sources/packed_images.h"
#include "data/writing/pack_writer.h"
#include "tests/fuzz.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

std::string seed(const TemporaryFolder& folder, int images) {
  const std::string path = folder / "seed.pack";
  PackWriter writer(path, 8, {"cat", "dog", "emu"}, 0);
  for (int i = 0; i < images; ++i) {
    const int width = 3 + i;
    writer.add(Image{width, 4, std::vector<uint8_t>(static_cast<size_t>(12 * width), static_cast<uint8_t>(40 * i))}, i % 3, "dog/image-" + std::to_string(i) + ".jpg");
  }
  writer.finish();
  writer.commit();
  return file_text(path);
}

/// Reads every byte of every image, in a mapping that sanitizers do not check: its end is checked here.
bool read_all(const std::string& path, size_t file_bytes) {
  try {
    const PackedImages images(path);
    uint64_t sum = 0;
    const uint8_t* lowest = nullptr;
    const uint8_t* highest = nullptr;
    for (int64_t i = 0; i < images.size(); ++i) {
      const auto view = std::get<ImageView>(images.read(i));
      const size_t bytes = size_t{3} * static_cast<size_t>(view.width) * static_cast<size_t>(view.height);
      for (size_t k = 0; k < bytes; ++k) sum += view.rgb[k];
      if (lowest == nullptr || view.rgb < lowest) lowest = view.rgb;
      if (highest == nullptr || view.rgb + bytes > highest) highest = view.rgb + bytes;
      EXPECT_GE(images.label(i), 0);
      EXPECT_LT(images.label(i), static_cast<int32_t>(images.classes().size()));
      sum += images.name(i).size();
    }
    EXPECT_GT(sum, 0U);
    EXPECT_LE(static_cast<size_t>(highest - lowest), file_bytes);
    return true;
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(failure.what()).find(path), std::string::npos);
    return false;
  }
}

uint64_t number(const std::string& bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  return value;
}

TEST(FuzzPack, Files) {
  const TemporaryFolder folder;
  const std::string path = folder / "mutated.pack";
  const std::vector<std::string> seeds = {seed(folder, 1), seed(folder, 6)};
  for (const auto& bytes : seeds) {
    write_text(path, bytes);
    EXPECT_TRUE(read_all(path, bytes.size()));
  }
  fuzz("packs", seeds, [&](const std::string& bytes) {
    write_text(path, bytes);
    read_all(path, bytes.size());
  });
}

/// A hostile writer has a correct checksum: the other checks must be sufficient.
TEST(FuzzPack, IndicesWithTheRightChecksum) {
  const TemporaryFolder folder;
  const std::string path = folder / "mutated.pack";
  const std::string sound = seed(folder, 6);
  const size_t offset = number(sound, sound.size() - kPackTailBytes);
  const std::string index = sound.substr(offset, sound.size() - kPackTailBytes - offset);
  int taken = 0;
  fuzz("pack indices", {index}, [&](const std::string& changed) {
    const auto checksum = crc32_z(0, reinterpret_cast<const Bytef*>(changed.data()), changed.size());
    const std::string bytes = sound.substr(0, offset) + changed + little_endian(offset, 8) + little_endian(changed.size(), 8) + little_endian(checksum, 4) + little_endian(kPackVersion, 4) + kPackTail;
    write_text(path, bytes);
    taken += read_all(path, bytes.size()) ? 1 : 0;
  });
  EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace ringlab
