// Packs: they return what was packed, and the loader's output equals that from the files; damage is reported with its
// path.
#include "data/writing/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "data/loading/loader.h"
#include "data/pixels/resize.h"
#include "data/sources/image_folder.h"
#include "data/sources/open_data.h"
#include "data/sources/packed_images.h"
#include "data/writing/shapes.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

void write_image(const std::string& path, int label, int size) {
  Stream random({9, static_cast<uint64_t>(size)});
  const auto bytes = encode_jpeg(draw_shape(ShapeTask::easy, label, size, random), 90);
  write_text(path, std::string(bytes.begin(), bytes.end()));
}

/// Two classes, images of several sizes.
std::string make_folder(const TemporaryFolder& folder) {
  for (const char* split : {"train", "val"}) {
    for (int i = 0; i < 6; ++i) write_image(folder / ("data/" + std::string(split) + "/" + (i % 2 == 0 ? "cat/sub/" : "dog/") + std::to_string(i) + ".jpg"), i, 90 + 12 * i);
  }
  return folder / "data";
}

bool pack_to(const std::string& dir, const std::string& out, int edge) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto captured = [] { return testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr(); };
  try {
    const bool done = pack({dir, out, edge, 2});
    captured();
    return done;
  } catch (...) {
    captured();
    throw;
  }
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The expected error of opening, with the path.
std::string complaint(const std::string& path) {
  try {
    PackedImages images(path);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code(), 3);
    EXPECT_EQ(failure.path(), path);
    return failure.what();
  }
  return "no complaint";
}

TEST(Pack, HoldsEveryImageReducedAsPillowDoes) {
  const TemporaryFolder folder;
  const std::string dir = make_folder(folder);
  ASSERT_TRUE(pack_to(dir, "", 120));
  EXPECT_EQ(names_in(dir + "/packed"), (std::vector<std::string>{"train.pack", "val.pack"}));
  const ImageFolder files(dir + "/train");
  const PackedImages packed(dir + "/packed/train.pack");
  EXPECT_EQ(packed.classes(), files.classes());
  EXPECT_EQ(packed.edge(), 120U);
  ASSERT_EQ(packed.size(), files.size());
  for (int64_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(packed.label(i), files.label(i));
    EXPECT_EQ(packed.name(i), packed.root() + ":" + files.name(i).substr(files.root().size() + 1));
    Image image = decode_jpeg(std::get<std::vector<uint8_t>>(files.read(i)));
    if (image.width > 120) image = resize_bilinear(image.view(), 120, 120, {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)});
    const auto view = std::get<ImageView>(packed.read(i));
    ASSERT_EQ(view.width, image.width);
    ASSERT_EQ(view.height, image.height);
    EXPECT_TRUE(std::equal(image.rgb.begin(), image.rgb.end(), view.rgb));
  }
}

/// No image is large enough to be decoded at a reduced size. Validation first resizes to the pack's edge: the rest is the same
/// computation on the same pixels.
TEST(Pack, ValidatesAndTrainsToTheBit) {
  const TemporaryFolder folder;
  const std::string dir = make_folder(folder);
  pack_to(dir, folder / "at80", 80);
  pack_to(dir, folder / "whole", 4096);
  for (const bool training : {false, true}) {
    const Splits files = open_data(dir, 0);
    const Splits packs = open_data(folder / (training ? "whole" : "at80"), 0);
    std::vector<Floats> first;
    for (const DataSet* set : {files.val.get(), packs.val.get()}) {
      for (const int workers : {0, 3}) {
        LoaderSettings settings;
        settings.shape.size = 70;  // its edge in validation: 80
        settings.cut = cut_plain(6, 4);
        settings.workers = workers;
        settings.training = training;
        settings.seed = 4;
        Loader loader(*set, {0, 1, 2, 3, 4, 5}, settings, [](const Broken& broken) { FAIL() << broken.path; });
        std::vector<Floats> batches;
        while (const auto batch = loader.next()) batches.push_back(batch->images);
        if (first.empty()) first = batches;
        EXPECT_TRUE(batches == first) << (training ? "training" : "validation");
      }
    }
  }
}

TEST(Pack, LeavesOutAFewBrokenImagesAndRefusesMany) {
  const TemporaryFolder folder;
  const std::string dir = folder / "data";
  for (int i = 0; i < 120; ++i) write_image(dir + "/train/cat/" + std::to_string(1000 + i) + ".jpg", 1, 16);
  write_image(dir + "/val/cat/0.jpg", 1, 16);
  write_text(dir + "/train/cat/1005.jpg", "no image");
  ASSERT_TRUE(pack_to(dir, "", 64));
  const PackedImages packed(dir + "/packed/train.pack");
  EXPECT_EQ(packed.size(), 119);
  EXPECT_NE(packed.name(5).find("1006.jpg"), std::string::npos);
  write_text(dir + "/train/cat/1007.jpg", "");
  const std::string before = file_text(dir + "/packed/train.pack");
  EXPECT_THROW(pack_to(dir, "", 32), Failure);
  EXPECT_EQ(names_in(dir + "/packed"), (std::vector<std::string>{"train.pack", "val.pack"})) << "nothing half";
  EXPECT_EQ(file_text(dir + "/packed/train.pack"), before) << "what was there stays";
}

TEST(Pack, HasNothingToDoForPacksAndNeverGuesses) {
  const TemporaryFolder folder;
  const std::string dir = make_folder(folder);
  pack_to(dir, "", 64);
  EXPECT_FALSE(pack_to(dir + "/packed", "", 64));
  EXPECT_NE(dynamic_cast<ImageFolder*>(open_data(dir, 0).train.get()), nullptr) << "the files, not the packs below them";
  EXPECT_THROW(pack_to(dir, dir, 64), Failure);
  std::filesystem::remove(dir + "/packed/val.pack");
  EXPECT_THROW(open_data(dir + "/packed", 0), Failure);
}

/// A mapped file that is cut off kills the process by a signal; it must say which file it was.
TEST(Pack, AFileThatIsCutOffWhileItIsUsedIsNamed) {
  const TemporaryFolder folder;
  pack_to(make_folder(folder), folder / "packs", 64);
  const std::string path = folder / "packs/train.pack";
  const PackedImages packed(path);
  std::filesystem::resize_file(path, 0);
  EXPECT_EXIT(std::_Exit(*std::get<ImageView>(packed.read(0)).rgb), testing::ExitedWithCode(3), "error: .*/packs/train.pack: became shorter");
  EXPECT_EXIT(raise(SIGBUS), testing::KilledBySignal(SIGBUS), "") << "another one is no pack's";
}

TEST(Pack, DamageIsNamed) {
  const TemporaryFolder folder;
  pack_to(make_folder(folder), folder / "packs", 64);
  const std::string sound = file_text(folder / "packs/train.pack");
  const std::string path = folder / "damaged.pack";
  const auto with = [&](size_t at, char value) {
    std::string bytes = sound;
    bytes[at] = value;
    write_text(path, bytes);
    return complaint(path);
  };
  EXPECT_NE(complaint(folder / "gone.pack").find("No such file"), std::string::npos);
  EXPECT_NE(with(0, 'x').find("is no pack"), std::string::npos);
  EXPECT_NE(with(8, 2).find("version 2"), std::string::npos);
  EXPECT_NE(with(sound.size() - 40, static_cast<char>(sound[sound.size() - 40] ^ 1)).find("CRC"), std::string::npos);
  EXPECT_NE(with(sound.size() - 30, 99).find("its end is damaged"), std::string::npos);
  for (const size_t length : {size_t{0}, size_t{20}, size_t{1000}, sound.size() - 1}) {
    write_text(path, sound.substr(0, length));
    EXPECT_NE(complaint(path).find(length < 48 ? "too short" : "cut off"), std::string::npos) << length;
  }
}

}  // namespace
}  // namespace ringlab
