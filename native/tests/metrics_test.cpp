// Metrics lines, their numbers, and what a restart continues from.
#include "base/metrics.h"

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>

#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

TEST(Json, EscapesAndMendsText) {
  EXPECT_EQ(json_string("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
  EXPECT_EQ(json_string("图\xff"), "\"图\xEF\xBF\xBD\"");
  EXPECT_EQ(json_string("\xC0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"") << "an overlong form is no UTF-8";
}

TEST(Json, MakesTextsOfBytesThatDoNotBecomeOne) {
  EXPECT_EQ(valid_utf8("图 a\\"), "图 a\\");
  EXPECT_EQ(valid_utf8("\xb9\xb7"), "\\xb9\\xb7") << "a name in GBK";
  EXPECT_EQ(valid_utf8("\xc4\xf1"), "\\xc4\\xf1") << "another one";
  EXPECT_EQ(valid_utf8("caf\xe9 \xc3\xa9"), "caf\\xe9 \xc3\xa9");
}

TEST(Json, WritesNumbersThatAreNotFiniteAsText) {
  EXPECT_EQ(json_number(std::nan("")), "\"NaN\"");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "\"Infinity\"");
  EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()), "\"-Infinity\"");
  EXPECT_EQ(json_number(0.1), "0.1");
}

TEST(Metrics, NumbersLinesFromZero) {
  const TemporaryFolder folder;
  MetricsFile file(folder / "m.jsonl");
  file.write("start", JsonObject().add("rank", 0));
  file.write("end", JsonObject());
  const std::string text = file_text(folder / "m.jsonl");
  EXPECT_EQ(text.find("{\"v\":1,\"seq\":0,\"t\":"), 0U);
  EXPECT_NE(text.find("\"kind\":\"start\",\"rank\":0}\n{\"v\":1,\"seq\":1,"), std::string::npos);
  EXPECT_EQ(text.back(), '\n');
}

TEST(Metrics, GoesOnAfterTheLastWholeLine) {
  const TemporaryFolder folder;
  write_text(folder / "m.jsonl", "{\"v\":1,\"seq\":41,\"t\":1,\"kind\":\"step\"}\n{\"v\":1,\"seq\":42,\"t\":2,\"ki");
  MetricsFile file(folder / "m.jsonl");
  EXPECT_EQ(file.next_seq(), 42);
  file.write("start", JsonObject());
  const std::string text = file_text(folder / "m.jsonl");
  EXPECT_NE(text.find("\"ki\n{\"v\":1,\"seq\":42,"), std::string::npos) << "an incomplete line stays a separate line";
}

TEST(Metrics, CountsFromTheFirstSeqOfItsEnvironmentWhereTheFileHasLost) {
  const TemporaryFolder folder;
  write_text(folder / "m.jsonl", "{\"v\":1,\"seq\":41,\"t\":1,\"kind\":\"step\"}\n");
  for (const auto& [given, first] : {std::pair{"50", 50}, {"7", 42}, {"-3", 42}, {"9x", 42}, {"99999999999999999999", 42}}) {
    setenv("RINGLAB_FIRST_SEQ", given, 1);
    EXPECT_EQ(MetricsFile(folder / "m.jsonl").next_seq(), first) << given;
  }
  unsetenv("RINGLAB_FIRST_SEQ");
}

TEST(Metrics, SkipsWholeLinesThatAreNoJson) {
  const TemporaryFolder folder;
  write_text(folder / "m.jsonl", "{\"v\":1,\"seq\":7,\"t\":1,\"kind\":\"step\"}\ngarbage\n\n");
  EXPECT_EQ(MetricsFile(folder / "m.jsonl").next_seq(), 8);
}

TEST(Metrics, FindsTheLastLineBehindALongTornOne) {
  const TemporaryFolder folder;
  write_text(folder / "m.jsonl", "{\"v\":1,\"seq\":9,\"t\":1,\"kind\":\"step\"}\n" + std::string(300000, 'x'));
  EXPECT_EQ(MetricsFile(folder / "m.jsonl").next_seq(), 10);
}

/// This process's limit on the size of a file, in place of a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(Metrics, WritesWhatAFullDiskHadNoRoomForOnceThereIsSome) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.jsonl";
  MetricsFile metrics(path);
  metrics.write("step", JsonObject().add("step", 0));
  const auto size = std::filesystem::file_size(path);
  {
    // In the middle of the second line.
    const FileSizeLimit full(size + 10);
    for (int step = 1; step < 5; ++step) metrics.write("step", JsonObject().add("step", step));
    EXPECT_EQ(std::filesystem::file_size(path), size + 10);
  }
  metrics.sync();
  metrics.write("end", JsonObject());
  std::istringstream file(file_text(path));
  std::string line;
  int64_t seq = 0;
  for (; std::getline(file, line); ++seq) EXPECT_EQ(line.find(R"({"v":1,"seq":)" + std::to_string(seq) + ","), 0u) << line;
  EXPECT_EQ(seq, 6);
}

TEST(Metrics, RefusesAFolderThatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_THROW(MetricsFile(folder / "no/m.jsonl"), Failure);
}

}  // namespace
}  // namespace ringlab
