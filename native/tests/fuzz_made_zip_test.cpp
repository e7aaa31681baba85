// Zip containers built field by field, with invalid numbers.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>

#include "base/error.h"
#include "tests/fuzz.h"
#include "tests/temporary_folder.h"
#include "values/value_file.h"
#include "values/zip.h"

namespace ringlab {
namespace {

std::string zip(Stream& random) {
  const bool hostile = chance(80, random);
  const auto number = [&](uint64_t sound) { return hostile && chance(4, random) ? limit_number(random) : sound; };
  struct Entry {
    std::string name, data;
    uint64_t at = 0;
  };
  std::vector<Entry> entries = {{"archive/data.pkl", "\x80\x02}."}, {"archive/byteorder", "little"}, {"archive/data/0", std::string(64, 'd')}, {"archive/version", "3\n"}};
  if (hostile && chance(20, random)) entries.push_back(one_of(entries, random));
  if (hostile && chance(10, random)) entries.push_back({"../../" + std::string(static_cast<size_t>(random.below(300)), 'n'), "x"});
  if (hostile && chance(10, random)) entries.push_back({"other/data.pkl", "."});
  if (hostile && chance(3, random)) entries.push_back({"archive/constants.pkl", "."});
  if (hostile && chance(2, random)) {
    for (int i = 0; i < 3000; ++i) entries.push_back({"archive/data/" + std::to_string(i), ""});
  }
  std::string file;
  std::string directory;
  for (auto& entry : entries) {
    entry.at = file.size();
    const uint64_t crc = crc32_z(0, reinterpret_cast<const Bytef*>(entry.data.data()), entry.data.size());
    const std::string padding(static_cast<size_t>(random.below(70)), '\0');
    const std::string sizes = little_endian(number(crc), 4) + little_endian(number(entry.data.size()), 4) + little_endian(number(entry.data.size()), 4);
    file += "PK\x03\x04" + little_endian(0, 4) + little_endian(number(0), 2) + little_endian(0, 4) + sizes + little_endian(number(entry.name.size()), 2) + little_endian(number(padding.size()), 2) + entry.name + padding + entry.data;
    const bool wide = chance(30, random);
    std::string extra;
    if (wide) {
      extra = little_endian(1, 2) + little_endian(number(24), 2) + little_endian(number(entry.data.size()), 8) + little_endian(number(entry.data.size()), 8) + little_endian(number(entry.at), 8);
    } else if (hostile && chance(10, random)) {
      extra = little_endian(static_cast<uint64_t>(random.below(3)), 2) + little_endian(limit_number(random), 2) + std::string(static_cast<size_t>(random.below(30)), '\xFF');
    }
    const uint64_t size = wide ? 0xFFFFFFFF : number(entry.data.size());
    directory += "PK\x01\x02" + little_endian(0, 4) + little_endian(0, 2) + little_endian(number(0), 2) + little_endian(0, 4) + little_endian(crc, 4) + little_endian(size, 4) + little_endian(size, 4);
    directory += little_endian(number(entry.name.size()), 2) + little_endian(number(extra.size()), 2) + little_endian(number(0), 2) + little_endian(0, 8) + little_endian(wide ? 0xFFFFFFFF : number(entry.at), 4) + entry.name + extra;
  }
  const uint64_t start = file.size();
  file += directory;
  const bool wide = chance(25, random);
  if (wide) {
    const uint64_t record = file.size();
    file += "PK\x06\x06" + little_endian(number(44), 8) + little_endian(0, 12) + little_endian(number(entries.size()), 8) + little_endian(number(entries.size()), 8) + little_endian(number(directory.size()), 8) + little_endian(number(start), 8);
    file += "PK\x06\x07" + little_endian(0, 4) + little_endian(number(record), 8) + little_endian(1, 4);
  }
  const uint64_t count = wide ? 0xFFFF : number(entries.size());
  file += "PK\x05\x06" + little_endian(0, 4) + little_endian(count, 2) + little_endian(count, 2) + little_endian(number(directory.size()), 4) + little_endian(wide ? 0xFFFFFFFF : number(start), 4) + little_endian(number(0), 2);
  if (hostile && chance(5, random)) file += std::string(static_cast<size_t>(random.below(70000)), 'c');
  if (hostile && chance(5, random)) file.resize(static_cast<size_t>(random.below(static_cast<int64_t>(file.size()))));
  return file;
}

TEST(FuzzMade, Zip) {
  const TemporaryFolder folder;
  const std::string path = folder / "made.zip";
  fuzz_made("zip", zip, [&](const std::string& bytes) {
    write_text(path, bytes);
    try {
      const ZipReader reader(path);
      uint64_t sum = 0;
      for (const char* name : {"data.pkl", "byteorder", "version", "data/0", "data/1"}) {
        if (!reader.has(reader.prefix() + name)) continue;
        try {
          const auto record = reader.read(reader.prefix() + name);
          EXPECT_LE(record.size, bytes.size());
          for (uint64_t i = 0; i < record.size; ++i) sum += record.data[i];
        } catch (const ZipError&) {
        }
      }
      EXPECT_LT(sum, uint64_t{1} << 40);
    } catch (const ZipError& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
    }
    try {
      read_value(path);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::checkpoint_mismatch);
    }
  });
}

}  // namespace
}  // namespace ringlab
