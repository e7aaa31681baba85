// Image folders, and the loader's threads.
#include "data/loading/loader.h"

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>

#include "base/error.h"
#include "data/sources/image_folder.h"
#include "data/sources/python_order.h"
#include "data/writing/shapes.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

std::string bad_data(const std::string& root) {
  try {
    ImageFolder folder(root);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code(), 3);
    EXPECT_FALSE(failure.path().empty());
    return failure.what();
  }
  return "no complaint";
}

void write_image(const std::string& path, int label, uint64_t number) {
  Stream random({9, number});
  const auto bytes = encode_jpeg(draw_shape(ShapeTask::easy, label, 16, random), 90);
  write_text(path, std::string(bytes.begin(), bytes.end()));
}

std::vector<int64_t> counting(int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), int64_t{0});
  return indices;
}

TEST(ImageFolder, SortsClassesAndImages) {
  const TemporaryFolder folder;
  for (const char* name : {"dog/b.JPG", "dog/a.png", "cat/sub/z.jpeg", "cat/y.jpg", "cat/notes.txt"}) write_text(folder / name, "x");
  const ImageFolder images(folder.path());
  EXPECT_EQ(images.classes(), (std::vector<std::string>{"cat", "dog"}));
  ASSERT_EQ(images.size(), 4);
  EXPECT_EQ(images.name(0), folder / "cat/y.jpg");
  EXPECT_EQ(images.name(1), folder / "cat/sub/z.jpeg");
  EXPECT_EQ(images.name(2), folder / "dog/a.png");
  EXPECT_EQ(images.label(3), 1);
}

/// `s b` sorts before `s/c` as a path, and after `s` among names.
TEST(ImageFolder, ClassesSortAsNames) {
  const TemporaryFolder folder;
  for (const char* name : {"s/c/1.webp", "s b/2.TIF", "s/3.BMP", "s.x/4.pgm", "s/c b/5.ppm", "s/c.d/6.jpeg"}) write_text(folder / name, "x");
  const ImageFolder images(folder.path());
  EXPECT_EQ(images.classes(), (std::vector<std::string>{"s", "s b", "s.x"}));
  std::vector<std::string> names;
  for (int64_t i = 0; i < images.size(); ++i) names.push_back(images.name(i).substr(folder.path().size() + 1));
  EXPECT_EQ(names, (std::vector<std::string>{"s/3.BMP", "s/c/1.webp", "s/c b/5.ppm", "s/c.d/6.jpeg", "s b/2.TIF", "s.x/4.pgm"})) << "'/' is sorted as a character";
}

TEST(ImageFolder, WhatIsNotUsedIsCounted) {
  const TemporaryFolder folder;
  for (const char* name : {"a/1.jpg", "a/Thumbs.db", "a/b/.DS_Store", "a/2.gif", "a/.jpg", "readme.txt"}) write_text(folder / name, "x");
  std::filesystem::create_directory_symlink("..", folder / "a/b/again");
  const ImageFolder images(folder.path());
  EXPECT_EQ(images.size(), 2) << ".jpg is a name that ends so";
  const auto remarks = images.remarks();
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_NE(remarks[0].message.find("4 files of " + folder.path() + " are not used, the first " + folder.path() + "/readme.txt"), std::string::npos) << remarks[0].message;
  EXPECT_NE(remarks[1].message.find("a/b/again"), std::string::npos);
}

/// A file that is readable only after a write to it would block a thread for ever.
TEST(ImageFolder, APipeIsBroken) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe.jpg").c_str(), 0600), 0);
  EXPECT_THROW(read_file_bytes(folder / "pipe.jpg"), BrokenImage);
}

TEST(PythonOrder, IsThatOfCodePoints) {
  // As sorted() with surrogateescape: ASCII, e acute, U+D7FF, invalid UTF-8 bytes, U+E000, U+FFFF, U+10000.
  const std::vector<std::string> sorted = {"", "A", "Z", "a", "\xC3\xA9", "\xED\x9F\xBF", "\x80", "\xC3", "\xED\xA0\x80", "\xFF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80"};
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (size_t k = 0; k < sorted.size(); ++k) EXPECT_EQ(python_less(sorted[i], sorted[k]), i < k) << i << " and " << k;
  }
}

TEST(ImageFolder, NamesThePathOfWhatIsWrong) {
  const TemporaryFolder folder;
  EXPECT_NE(bad_data(folder / "gone").find("gone: no such folder"), std::string::npos);
  write_text(folder / "flat/a.jpg", "x");
  EXPECT_NE(bad_data(folder / "flat").find("flat: has no class folders"), std::string::npos);
  EXPECT_NE(bad_data(folder / "flat/a.jpg").find("is not a folder"), std::string::npos);
  write_text(folder / "holes/full/a.jpg", "x");
  std::filesystem::create_directories(folder / "holes/empty");
  EXPECT_NE(bad_data(folder / "holes").find("holes/empty: the class empty holds no image"), std::string::npos);
}

TEST(Loader, IsTheSameForAnyNumberOfWorkers) {
  const TemporaryFolder folder;
  for (int i = 0; i < 20; ++i) write_image(folder / ("a/" + std::to_string(i) + ".jpg"), i % 10, static_cast<uint64_t>(i));
  const ImageFolder images(folder.path());
  std::vector<Floats> first;
  for (const int workers : {0, 1, 3}) {
    LoaderSettings settings;
    settings.shape.size = 16;
    settings.cut = cut_plain(20, 6);
    settings.workers = workers;
    settings.training = true;
    settings.seed = 4;
    Loader loader(images, counting(20), settings, [](const Broken&) { FAIL(); });
    std::vector<Floats> batches;
    while (auto batch = loader.next()) batches.push_back(batch->images);
    EXPECT_EQ(batches.size(), 4U);
    EXPECT_EQ(batches.back().size(), 2U * 3 * 16 * 16);
    if (first.empty()) first = batches;
    EXPECT_EQ(batches, first);
  }
}

TEST(Loader, StartsInTheMiddle) {
  const TemporaryFolder folder;
  for (int i = 0; i < 12; ++i) write_image(folder / ("a/" + std::to_string(10 + i) + ".jpg"), i % 10, static_cast<uint64_t>(i));
  const ImageFolder images(folder.path());
  LoaderSettings settings;
  settings.shape.size = 16;
  settings.cut = cut_plain(12, 4);
  settings.training = true;
  Loader whole(images, counting(12), settings, [](const Broken&) {});
  whole.next();
  whole.next();
  settings.first_batch = 2;
  settings.workers = 2;
  Loader rest(images, counting(12), settings, [](const Broken&) {});
  EXPECT_EQ(rest.next()->images, whole.next()->images);
  EXPECT_EQ(rest.next(), nullptr);
}

TEST(Loader, SkipsFewBrokenImagesAndRefusesMany) {
  const TemporaryFolder folder;
  for (int i = 0; i < 120; ++i) write_image(folder / ("a/" + std::to_string(1000 + i) + ".jpg"), i % 10, static_cast<uint64_t>(i));
  write_text(folder / "a/1005.jpg", "no image");
  const ImageFolder images(folder.path());
  LoaderSettings settings;
  settings.shape.size = 16;
  settings.cut = cut_plain(120, 50);
  settings.workers = 2;
  std::vector<Broken> broken;
  Loader validation(images, counting(120), settings, [&](const Broken& one) { broken.push_back(one); });
  EXPECT_EQ(validation.next()->count, 49) << "left out";
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_NE(broken[0].path.find("1005.jpg"), std::string::npos);
  settings.training = true;
  Loader training(images, counting(120), settings, [&](const Broken& one) { broken.push_back(one); });
  EXPECT_EQ(training.next()->count, 50) << "replaced by the next one";
  write_text(folder / "a/1007.jpg", "");
  Loader many(images, counting(120), settings, [](const Broken&) {});
  EXPECT_THROW(many.next(), Failure);
}

/// Images of one pixel, some of them broken.
class HolesInARow : public DataSet {
 public:
  HolesInARow(int64_t from, int64_t to) : from_(from), to_(to) {}

  const std::string& root() const override { return root_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  int64_t size() const override { return 1200; }
  int32_t label(int64_t) const override { return 0; }
  std::string name(int64_t index) const override { return std::to_string(index); }
  StoredImage read(int64_t index) const override {
    if (index >= from_ && index < to_) throw BrokenImage("no image");
    return Image{1, 1, {1, 2, 3}};
  }

 private:
  int64_t from_;
  int64_t to_;
  std::string root_ = "holes";
  std::vector<std::string> classes_ = {"a"};
};

/// Counts what is read, slowly.
class SlowImages : public HolesInARow {
 public:
  SlowImages() : HolesInARow(0, 0) {}
  StoredImage read(int64_t index) const override {
    ++reads;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return HolesInARow::read(index);
  }
  mutable std::atomic<int> reads{0};
};

/// A run that was asked to stop saves after this: a batch of 6 s would be decoded first.
TEST(Loader, EndsWithinABatch) {
  const SlowImages images;
  {
    LoaderSettings settings;
    settings.shape.size = 1;
    settings.training = true;
    settings.workers = 2;
    settings.cut = cut_plain(1200, 600);
    const Loader loader(images, counting(1200), settings, [](const Broken&) {});
    while (images.reads == 0) std::this_thread::yield();
  }
  EXPECT_LT(images.reads, 600);
}

TEST(Loader, NamesAndCountsABrokenImageOnce) {
  LoaderSettings settings;
  settings.shape.size = 1;
  settings.training = true;
  const auto named_in = [&settings](const DataSet& set, int64_t ranks) {
    std::vector<int64_t> indices;
    for (int64_t index = 0; index < set.size(); index += ranks) indices.push_back(index);
    settings.cut = cut_plain(static_cast<int64_t>(indices.size()), 50);
    std::vector<std::string> named;
    Loader loader(set, indices, settings, [&named](const Broken& one) { named.push_back(one.path); });
    while (const auto batch = loader.next()) EXPECT_EQ(batch->count, 50);
    return named;
  };
  for (const int workers : {0, 2}) {
    settings.workers = workers;
    // Each one takes the place of those before it, in vain. 12 of 1200 are 1 %.
    EXPECT_EQ(named_in(HolesInARow(500, 512), 1), (std::vector<std::string>{"500", "501", "502", "503", "504", "505", "506", "507", "508", "509", "510", "511"}));
    EXPECT_THROW(named_in(HolesInARow(500, 513), 1), Failure);
    // Of a rank that has every other image, with the next rank's among them.
    EXPECT_EQ(named_in(HolesInARow(500, 512), 2).size(), 12U);
    EXPECT_THROW(named_in(HolesInARow(500, 513), 2), Failure) << "7 of 600";
    // The indices are a part of a share.
    settings.share = 1300;
    EXPECT_EQ(named_in(HolesInARow(500, 513), 1).size(), 13U);
    EXPECT_THROW(named_in(HolesInARow(500, 514), 1), Failure);
    settings.share = 0;
  }
}

}  // namespace
}  // namespace ringlab
