// The `make-shapes` command.
#include "data/writing/shapes.h"

#include <map>

#include "base/error.h"
#include "data/sources/image_folder.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

std::map<std::string, std::string> contents(const std::string& root) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files[std::filesystem::relative(entry.path(), root).string()] = file_text(entry.path().string());
  }
  return files;
}

TEST(Shapes, SameSeedSameBytes) {
  const TemporaryFolder folder;
  ShapesSettings settings;
  settings.train = 30;
  settings.val = 20;
  settings.size = 24;
  settings.dir = folder / "one";
  EXPECT_TRUE(make_shapes(settings));
  settings.dir = folder / "two";
  EXPECT_TRUE(make_shapes(settings));
  settings.dir = folder / "three";
  settings.seed = 2;
  EXPECT_TRUE(make_shapes(settings));
  EXPECT_EQ(contents(folder / "one"), contents(folder / "two"));
  EXPECT_NE(contents(folder / "one"), contents(folder / "three"));
  settings.task = ShapeTask::hard;
  for (const char* name : {"four", "five"}) {
    settings.dir = folder / name;
    EXPECT_TRUE(make_shapes(settings));
  }
  EXPECT_EQ(contents(folder / "four"), contents(folder / "five"));
  EXPECT_NE(contents(folder / "three"), contents(folder / "four"));
  const ImageFolder train(folder / "one/train");
  EXPECT_EQ(train.size(), 30);
  EXPECT_EQ(train.classes(), shape_names(ShapeTask::easy));
  EXPECT_EQ(ImageFolder(folder / "one/val").size(), 20);
}

TEST(Shapes, AHundredClassesOfFigureColourAndFill) {
  const TemporaryFolder folder;
  ShapesSettings settings;
  settings.dir = folder / "hundred";
  settings.task = ShapeTask::classes100;
  settings.train = 200;
  settings.val = 100;
  settings.size = 16;
  EXPECT_TRUE(make_shapes(settings));
  const ImageFolder train(settings.dir + "/train");
  EXPECT_EQ(train.classes().size(), 100U);
  EXPECT_EQ(train.classes(), shape_names(ShapeTask::classes100));  // sorted, as the folder's labels are
  // Equal random numbers, other classes: another figure, another colour, another fill.
  const auto drawn = [](int label) {
    Stream random({5});
    return draw_shape(ShapeTask::classes100, label, 32, random).rgb;
  };
  for (const int other : {1, 2, 10}) EXPECT_NE(drawn(0), drawn(other)) << shape_names(ShapeTask::classes100)[static_cast<size_t>(other)];
}

TEST(Shapes, LeavesAWholeFolderAndStrangersAlone) {
  const TemporaryFolder folder;
  ShapesSettings settings;
  settings.train = settings.val = 10;
  settings.size = 16;
  settings.dir = folder / "shapes";
  EXPECT_TRUE(make_shapes(settings));
  EXPECT_FALSE(make_shapes(settings));
  settings.seed = 9;
  EXPECT_THROW(make_shapes(settings), Failure);
  write_text(folder / "mine/thesis.txt", "years");
  settings.dir = folder / "mine";
  EXPECT_THROW(make_shapes(settings), Failure);
  EXPECT_EQ(file_text(folder / "mine/thesis.txt"), "years");
}

TEST(Shapes, CommandNamesWhatIsWrong) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {"d", "--trian", "3"}, {"d", "--train", "x"}, {"d", "--train", "3"}, {"d", "e"}, {"d", "--task", "harder"}, {"d", "--classes", "11"}}) {
    try {
      make_shapes_command(arguments);
      FAIL();
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.exit_code(), 2);
    }
  }
}

}  // namespace
}  // namespace ringlab
