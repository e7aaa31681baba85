#include "data/loader.h"

#include <numeric>

#include "data/image_folder.h"
#include "data/shapes.h"
#include "src/error.h"
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

void write_picture(const std::string& path, int label, uint64_t number) {
  Stream random({9, number});
  const auto bytes = encode_jpeg(draw_shape(label, 16, random), 90);
  write_text(path, std::string(bytes.begin(), bytes.end()));
}

std::vector<int64_t> counting(int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), int64_t{0});
  return indices;
}

TEST(ImageFolder, SortsClassesAndPictures) {
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

TEST(ImageFolder, NamesThePathOfWhatIsWrong) {
  const TemporaryFolder folder;
  EXPECT_NE(bad_data(folder / "gone").find("gone: no such folder"), std::string::npos);
  write_text(folder / "flat/a.jpg", "x");
  EXPECT_NE(bad_data(folder / "flat").find("flat: has no class folders"), std::string::npos);
  EXPECT_NE(bad_data(folder / "flat/a.jpg").find("is not a folder"), std::string::npos);
  write_text(folder / "holes/full/a.jpg", "x");
  std::filesystem::create_directories(folder / "holes/empty");
  EXPECT_NE(bad_data(folder / "holes").find("holes/empty: the class holds no"), std::string::npos);
}

TEST(Loader, IsTheSameForAnyNumberOfWorkers) {
  const TemporaryFolder folder;
  for (int i = 0; i < 20; ++i) write_picture(folder / ("a/" + std::to_string(i) + ".jpg"), i % 10, static_cast<uint64_t>(i));
  const ImageFolder images(folder.path());
  std::vector<Floats> first;
  for (const int workers : {0, 1, 3}) {
    LoaderSettings settings;
    settings.shape.size = 16;
    settings.batch_size = 6;
    settings.workers = workers;
    settings.training = true;
    settings.seed = 4;
    Loader loader(images, counting(20), settings, [](const Broken&) { FAIL(); });
    EXPECT_EQ(loader.batches(), 4);
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
  for (int i = 0; i < 12; ++i) write_picture(folder / ("a/" + std::to_string(10 + i) + ".jpg"), i % 10, static_cast<uint64_t>(i));
  const ImageFolder images(folder.path());
  LoaderSettings settings;
  settings.shape.size = 16;
  settings.batch_size = 4;
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

TEST(Loader, SkipsFewBrokenPicturesAndRefusesMany) {
  const TemporaryFolder folder;
  for (int i = 0; i < 120; ++i) write_picture(folder / ("a/" + std::to_string(1000 + i) + ".jpg"), i % 10, static_cast<uint64_t>(i));
  write_text(folder / "a/1005.jpg", "no picture");
  const ImageFolder images(folder.path());
  LoaderSettings settings;
  settings.shape.size = 16;
  settings.batch_size = 50;
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

}  // namespace
}  // namespace ringlab
