// Data sets from outside: mutated IDX files, plain and gzipped, and CIFAR's.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "data/sources/cifar_images.h"
#include "data/sources/idx_images.h"
#include "tests/fuzz.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

std::string idx(int dimensions, std::vector<uint8_t> shape, size_t bytes) {
  std::string file = std::string("\0\0\x08", 3) + static_cast<char>(dimensions);
  for (const uint8_t extent : shape) file += std::string(3, '\0') + static_cast<char>(extent);
  for (size_t i = 0; i < bytes; ++i) file += static_cast<char>(i % 10);
  return file;
}

std::string gzipped(const TemporaryFolder& folder, const std::string& bytes) {
  const std::string path = folder / "seed.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return file_text(path);
}

/// A set may be refused, by a Failure that names one of its files; an accepted one returns every image.
template <typename Open>
void read_all(const TemporaryFolder& folder, Open open) {
  try {
    const auto set = open();
    uint64_t sum = 0;
    for (int64_t i = 0; i < std::min<int64_t>(set.size(), 500); ++i) {
      const auto image = std::get<Image>(set.read(i));
      EXPECT_EQ(image.rgb.size(), size_t{3} * static_cast<size_t>(image.width) * static_cast<size_t>(image.height));
      for (const uint8_t value : image.rgb) sum += value;
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

TEST(FuzzSets, Idx) {
  const TemporaryFolder folder;
  const std::string images = idx(3, {30, 5, 4}, 600);
  const std::string labels = idx(1, {30}, 30);
  write_text(folder / "images", images);
  write_text(folder / "labels", labels);
  // Changed images with intact labels, and the reverse: the type in the header identifies the file.
  fuzz("IDX", {images, gzipped(folder, images), labels, gzipped(folder, labels)}, [&](const std::string& bytes) {
    write_text(folder / "mutated", bytes);
    read_all(folder, [&] { return IdxImages(folder / "mutated", folder / "labels", 10); });
    read_all(folder, [&] { return IdxImages(folder / "images", folder / "mutated", 10); });
  });
}

TEST(FuzzSets, Cifar) {
  const TemporaryFolder folder;
  std::string batch;
  for (int i = 0; i < 3; ++i) batch += static_cast<char>(i) + std::string(3072, static_cast<char>('a' + i));
  std::string names;
  for (int i = 0; i < 10; ++i) names += "class " + std::to_string(i) + "\n";
  fuzz("CIFAR", {batch, names}, [&](const std::string& bytes) {
    write_text(folder / "batch.bin", bytes.size() > 2000 ? bytes : batch);
    write_text(folder / "batches.meta.txt", bytes.size() > 2000 ? names : bytes);
    read_all(folder, [&] { return CifarImages(CifarImages::Kind::cifar10, folder.path(), {folder / "batch.bin"}); });
  });
}

}  // namespace
}  // namespace ringlab
