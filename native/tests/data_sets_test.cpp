// MNIST's and CIFAR's files, plain and gzipped, intact and damaged; detection of a folder's kind.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>

#include "base/error.h"
#include "data/pixels/transforms.h"
#include "data/sources/cifar_images.h"
#include "data/sources/dummy_images.h"
#include "data/sources/idx_images.h"
#include "data/sources/open_data.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

std::string number(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16 & 255), static_cast<char>(value >> 8 & 255), static_cast<char>(value & 255)};
}

/// `count` images of 3 x 2 pixels; pixel k of image i is 10 i + k.
std::string idx_images(uint32_t count) {
  std::string bytes = std::string("\0\0\x08\x03", 4) + number(count) + number(2) + number(3);
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t k = 0; k < 6; ++k) bytes += static_cast<char>(10 * i + k);
  }
  return bytes;
}

std::string idx_labels(const std::vector<uint8_t>& labels) {
  return std::string("\0\0\x08\x01", 4) + number(static_cast<uint32_t>(labels.size())) + std::string(labels.begin(), labels.end());
}

std::string gzipped(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// The error of a constructor that must refuse, with the file's name.
template <typename Open>
std::string complaint(Open open) {
  try {
    open();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code(), 3);
    EXPECT_FALSE(failure.path().empty());
    EXPECT_NE(std::string(failure.what()).find(failure.path()), std::string::npos);
    return failure.what();
  }
  return "no complaint";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Idx, HandsOutGreyImagesPlainAndGzipped) {
  const TemporaryFolder folder;
  write_text(folder / "images", idx_images(3));
  write_text(folder / "images.gz", gzipped(idx_images(3)));
  write_text(folder / "labels.gz", gzipped(idx_labels({2, 0, 1})));
  for (const char* name : {"images", "images.gz"}) {
    const IdxImages set(folder / name, folder / "labels.gz", 3);
    ASSERT_EQ(set.size(), 3);
    EXPECT_EQ(set.label(0), 2);
    EXPECT_EQ(set.classes(), (std::vector<std::string>{"0", "1", "2"}));
    const auto image = std::get<Image>(set.read(2));
    EXPECT_EQ(image.width, 3);
    EXPECT_EQ(image.height, 2);
    EXPECT_EQ(image.rgb[0], 20);
    EXPECT_EQ(image.rgb[17], 25);
    EXPECT_TRUE(says(set.name(2), std::string(name) + "[2]"));
  }
}

TEST(Idx, NamesTheFileThatIsDamaged) {
  const TemporaryFolder folder;
  const std::string images = idx_images(3);
  write_text(folder / "images", images);
  write_text(folder / "labels", idx_labels({0, 1, 2}));
  const auto refused = [&](const std::string& name, const std::string& bytes, const std::string& words, bool labels = false) {
    write_text(folder / name, bytes);
    const std::string said = complaint([&] { IdxImages(labels ? folder / "images" : folder / name, labels ? folder / name : folder / "labels", 3); });
    EXPECT_TRUE(says(said, words)) << said;
    EXPECT_TRUE(says(said, name)) << said;
  };
  refused("cut", images.substr(0, images.size() - 1), "is truncated: it holds 2 of 3 items");
  refused("head", images.substr(0, 9), "too short");
  refused("long", images + "x", "longer than its header");
  refused("text", "<!DOCTYPE html>", "is no IDX file");
  refused("empty", "", "too short");
  refused("kind", idx_labels({0, 1, 2}), "holds type 8 in 1 dimensions");
  refused("none", std::string("\0\0\x08\x03", 4) + number(0) + number(2) + number(3), "holds nothing");
  refused("huge", std::string("\0\0\x08\x03", 4) + number(0xFFFFFFFF) + number(0xFFFFFFFF) + number(3), "more than 2 GiB");
  refused("lie", std::string("\0\0\x08\x03", 4) + number(60000) + number(28) + number(28) + "few", "it holds 0 of 60000");
  const std::string zipped = gzipped(images);
  refused("cut.gz", zipped.substr(0, zipped.size() - 9), "ends in the middle");
  std::string flipped = gzipped(images + std::string(4000, 'z'));
  flipped[20] = static_cast<char>(~flipped[20]);
  refused("flipped.gz", flipped, "flipped.gz");
  refused("few", idx_labels({0, 1}), "holds 2 labels", true);
  refused("range", idx_labels({0, 1, 3}), "label 3 of item 2 is out of range; valid: 0 to 2", true);
  EXPECT_TRUE(says(complaint([&] { IdxImages(folder / "gone", folder / "labels", 3); }), "No such file"));
}

TEST(Cifar, ReadsBothAndNamesDamage) {
  const TemporaryFolder folder;
  std::string planes(3072, '\0');
  planes[0] = 1;
  planes[1024] = 2;
  planes[2048 + 1023] = 3;
  write_text(folder / "data_batch_1.bin", std::string(1, 7) + planes + std::string(1, 9) + planes);
  write_text(folder / "data_batch_2.bin", std::string(1, 0) + planes);
  write_text(folder / "batches.meta.txt", "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n");
  const CifarImages ten(CifarImages::Kind::cifar10, folder.path(), {folder / "data_batch_1.bin", folder / "data_batch_2.bin"});
  ASSERT_EQ(ten.size(), 3);
  EXPECT_EQ(ten.label(1), 9);
  EXPECT_EQ(ten.classes()[9], "truck");
  EXPECT_TRUE(says(ten.name(1), "data_batch_1.bin[1]"));
  EXPECT_TRUE(says(ten.name(2), "data_batch_2.bin[0]"));
  const auto image = std::get<Image>(ten.read(0));
  EXPECT_EQ(image.rgb[0], 1);
  EXPECT_EQ(image.rgb[1], 2);
  EXPECT_EQ(image.rgb[3071], 3);
  write_text(folder / "train.bin", std::string("\x05\x63", 2) + planes);
  const CifarImages hundred(CifarImages::Kind::cifar100, folder.path(), {folder / "train.bin"});
  EXPECT_EQ(hundred.label(0), 99);
  EXPECT_EQ(hundred.classes().size(), 100U);
  write_text(folder / "cut.bin", std::string(1, 7) + planes.substr(1));
  EXPECT_TRUE(says(complaint([&] { CifarImages(CifarImages::Kind::cifar10, folder.path(), {folder / "cut.bin"}); }), "is truncated"));
  write_text(folder / "range.bin", std::string(1, 10) + planes);
  EXPECT_TRUE(says(complaint([&] { CifarImages(CifarImages::Kind::cifar10, folder.path(), {folder / "range.bin"}); }), "label 10 of image 0 is out of range; valid: 0 to 9"));
}

TEST(OpenData, RecognisesWhatAFolderHolds) {
  const TemporaryFolder folder;
  for (const char* place : {"mnist/", "torchvision/FashionMNIST/raw/"}) {
    write_text(folder / (std::string(place) + "train-images-idx3-ubyte"), idx_images(2));
    write_text(folder / (std::string(place) + "train-labels-idx1-ubyte.gz"), gzipped(idx_labels({9, 0})));
    write_text(folder / (std::string(place) + "t10k-images.idx3-ubyte"), idx_images(1));
    write_text(folder / (std::string(place) + "t10k-labels-idx1-ubyte"), idx_labels({4}));
  }
  for (const char* place : {"mnist", "torchvision"}) {
    const Splits splits = open_data(folder / place, 0);
    EXPECT_EQ(splits.train->size(), 2);
    EXPECT_EQ(splits.val->label(0), 4);
    EXPECT_EQ(splits.train->classes().size(), 10U);
  }
  EXPECT_EQ(open_data(folder / "mnist", 47).train->classes().size(), 47U);
  EXPECT_TRUE(says(complaint([&] { open_data(folder / "mnist", 5); }), "label 9 of item 0"));
  std::filesystem::remove(folder / "mnist/t10k-labels-idx1-ubyte");
  EXPECT_TRUE(says(complaint([&] { open_data(folder / "mnist", 0); }), "t10k-labels-idx1-ubyte (or .gz) is missing"));
  std::filesystem::copy(folder / "torchvision/FashionMNIST", folder / "torchvision/MNIST", std::filesystem::copy_options::recursive);
  EXPECT_TRUE(says(complaint([&] { open_data(folder / "torchvision", 0); }), "several data sets"));
  const std::string record = std::string(1, 1) + std::string(3072, 'x');
  for (const char* name : {"1", "2", "3", "4", "5"}) write_text(folder / ("c/cifar-10-batches-bin/data_batch_" + std::string(name) + ".bin"), record);
  EXPECT_TRUE(says(complaint([&] { open_data(folder / "c", 0); }), "test_batch.bin is missing"));
  write_text(folder / "c/cifar-10-batches-bin/test_batch.bin", record);
  EXPECT_EQ(open_data(folder / "c", 0).train->size(), 5);
  write_text(folder / "py/cifar-10-batches-py/data_batch_1", "pickle");
  EXPECT_TRUE(says(complaint([&] { open_data(folder / "py", 0); }), "Python version"));
  EXPECT_TRUE(says(complaint([&] { open_data(folder / "nothing", 0); }), "no such folder"));
}

TEST(Dummy, IsTheSameEachTimeAndNeverAugmented) {
  const DummyImages set(1000, 12, 7, 5);
  EXPECT_EQ(std::get<Image>(set.read(3)).rgb, std::get<Image>(DummyImages(1000, 12, 7, 5).read(3)).rgb);
  EXPECT_NE(std::get<Image>(set.read(3)).rgb, std::get<Image>(set.read(4)).rgb);
  EXPECT_FALSE(set.augments());
  std::vector<int> counts(7);
  for (int64_t i = 0; i < set.size(); ++i) ++counts[static_cast<size_t>(set.label(i))];
  for (const int count : counts) EXPECT_NEAR(count, 143, 60);
}

TEST(Transforms, OneChannelIsPillowsLuma) {
  const std::vector<uint8_t> rgb = {255, 0, 0, 0, 255, 0, 0, 0, 255, 100, 100, 100};
  std::vector<float> out(4);
  Transformer({2, 1}).whole(ImageView{2, 2, rgb.data()}, out.data());
  // Image.convert("L") of red, green, blue and a grey.
  const int expected[] = {76, 150, 29, 100};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(out[i], (static_cast<float>(expected[i]) / 255 - kGreyMean) / kGreyDeviation, 1e-6);
}

}  // namespace
}  // namespace ringlab
