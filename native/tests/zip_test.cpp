// Zip files: round trips, large sizes, and damaged files.
#include "values/zip.h"

#include <sys/stat.h>

#include <cstdint>
#include <cstring>

#include "base/random.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

std::string sample(const std::string& path, uint64_t limit = kZip32Limit) {
  const std::string pickle = "pickle";
  const std::string data(1000, 'd');
  const std::vector<ZipEntry> entries = {{"archive/data.pkl", pickle.data(), pickle.size()}, {"archive/data/0", data.data(), data.size()}, {"archive/version", "3\n", 2}};
  AtomicFile file(path, 0);
  write_zip(file, entries, limit);
  EXPECT_EQ(file.written(), zip_size(entries, limit)) << "as foretold";
  file.commit();
  return file_text(path);
}

TEST(Zip, ComesBackAlignedAndOfTheSizeForetold) {
  const TemporaryFolder folder;
  const std::string bytes = sample(folder / "a.zip");
  EXPECT_EQ(bytes.find("dddd") % 64, 0U);
  const ZipReader zip(folder / "a.zip");
  EXPECT_EQ(zip.prefix(), "archive/");
  const auto record = zip.read("archive/data/0");
  EXPECT_EQ(record.size, 1000U);
  EXPECT_EQ(record.data[999], 'd');
  EXPECT_THROW(zip.read("archive/data/1"), ZipError);
}

/// Numbers above 4 GiB are in zip64 fields: with a limit of 100 bytes small files have them, too.
TEST(Zip, LargeSizesAndOffsetsGoToZip64Fields) {
  const TemporaryFolder folder;
  for (const uint64_t limit : {uint64_t{0}, uint64_t{100}, uint64_t{1010}, uint64_t{1200}}) {
    const std::string bytes = sample(folder / "a.zip", limit);
    EXPECT_EQ(bytes.find("dddd") % 64, 0U);
    EXPECT_NE(bytes.find("PK\x06\x06"), std::string::npos) << "a zip64 directory";
    const ZipReader zip(folder / "a.zip");
    const auto record = zip.read("archive/data/0");
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(record.data), record.size), std::string(1000, 'd'));
    EXPECT_EQ(zip.read("archive/version").size, 2U);
  }
}

/// PyTorch's reader takes the zip64 record wherever it is, torch.save writes both with the same values.
TEST(Zip, BothEndRecordsNameOneDirectory) {
  const TemporaryFolder folder;
  const std::string plain = sample(folder / "a.zip");
  const std::string end = plain.substr(plain.size() - 22);
  const auto with64 = [&](uint64_t moved) {
    const uint64_t start = read_little_endian(reinterpret_cast<const uint8_t*>(end.data()) + 16, 4) + moved;
    const uint64_t record = plain.size() - 22;
    const auto little_endian = [](uint64_t value) { return std::string(reinterpret_cast<const char*>(&value), 8); };
    return plain.substr(0, record) + "PK\x06\x06" + little_endian(44) + std::string(12, '\0') + little_endian(3) + little_endian(3) + little_endian(record - start) + little_endian(start) + "PK\x06\x07" + std::string(4, '\0') + little_endian(record) + std::string("\x01\0\0\0", 4) + end;
  };
  write_text(folder / "same", with64(0));
  EXPECT_EQ(ZipReader(folder / "same").read("archive/version").size, 2U);
  write_text(folder / "other", with64(1));
  try {
    const ZipReader zip(folder / "other");
    FAIL() << "PyTorch would read another directory";
  } catch (const ZipError& error) {
    EXPECT_NE(std::string(error.what()).find("differ"), std::string::npos) << error.what();
  }
}

TEST(Zip, SaysWhatAFileIsThatIsNone) {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& bytes) {
    write_text(folder / "f", bytes);
    try {
      const ZipReader zip(folder / "f");
    } catch (const ZipError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  std::string tar(1024, '\0');
  tar.replace(257, 5, "ustar");
  const std::string legacy("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.\x80\x02M", 18);
  // Files of PyTorch before 1.6 have a separate parser (legacy_file.h).
  for (const auto& old : {tar, legacy}) EXPECT_NE(complaint(old).find("no zip"), std::string::npos) << complaint(old);
  EXPECT_NE(complaint("hello world, this is text").find("no zip"), std::string::npos);
  EXPECT_EQ(complaint(""), "the file is empty");
  write_text(folder / "huge", "x");
  std::filesystem::resize_file(folder / "huge", uint64_t{1} << 43);  // sparse, without data on the disk
  EXPECT_THROW(ZipReader(folder / "huge"), ZipError) << "more than this machine's memory";
}

TEST(Zip, WaitsForNobody) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {folder / "pipe", std::string("/dev/zero"), std::string("/dev/full"), folder / "."}) EXPECT_THROW(ZipReader{path}, ZipError) << path;
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
