#include "checkpoint/zip.h"

#include <cstring>

#include "data/random.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

std::string sample(const std::string& path) {
  const std::string pickle = "pickle";
  const std::string data(1000, 'd');
  write_zip(path, {{"archive/data.pkl", pickle.data(), pickle.size()}, {"archive/data/0", data.data(), data.size()}, {"archive/version", "3\n", 2}});
  return file_text(path);
}

TEST(Zip, ComesBackAlignedAndOfTheSizeForetold) {
  const TemporaryFolder folder;
  const std::string bytes = sample(folder / "a.zip");
  EXPECT_EQ(bytes.size(), zip_size({{"archive/data.pkl", "pickle", 6}, {"archive/data/0", nullptr, 1000}, {"archive/version", "3\n", 2}}));
  EXPECT_EQ(bytes.find("dddd") % 64, 0U);
  const ZipReader zip(folder / "a.zip");
  EXPECT_EQ(zip.prefix(), "archive/");
  const auto record = zip.read("archive/data/0");
  EXPECT_EQ(record.size, 1000U);
  EXPECT_EQ(record.data[999], 'd');
  EXPECT_THROW(zip.read("archive/data/1"), ZipError);
}

TEST(Zip, EveryCutIsAnError) {
  const TemporaryFolder folder;
  const std::string bytes = sample(folder / "a.zip");
  for (size_t length = 0; length < bytes.size(); length += 7) {
    write_text(folder / "cut.zip", bytes.substr(0, length));
    EXPECT_THROW(ZipReader(folder / "cut.zip"), ZipError) << length;
  }
}

TEST(Zip, DamageIsFoundByTheChecksum) {
  const TemporaryFolder folder;
  std::string bytes = sample(folder / "a.zip");
  bytes[bytes.find("dddd") + 500] = 'e';
  write_text(folder / "b.zip", bytes);
  EXPECT_THROW(ZipReader(folder / "b.zip").read("archive/data/0"), ZipError);
}

TEST(Zip, MutatedDirectoriesNeverCrash) {
  const TemporaryFolder folder;
  const std::string bytes = sample(folder / "a.zip");
  const size_t directory = bytes.find("PK\x01\x02");
  Stream random({3});
  for (int i = 0; i < 1000; ++i) {
    std::string broken = bytes;
    for (int k = 0; k < 3; ++k) {
      broken[directory + static_cast<size_t>(random.below(static_cast<int64_t>(bytes.size() - directory)))] = static_cast<char>(random.below(256));
    }
    write_text(folder / "b.zip", broken);
    try {
      const ZipReader zip(folder / "b.zip");
      for (const char* name : {"archive/data.pkl", "archive/data/0"}) {
        if (zip.has(name)) zip.read(name);
      }
    } catch (const ZipError&) {
    }
  }
}

}  // namespace
}  // namespace ringlab
