#include "checkpoint/atomic_file.h"

#include <sys/resource.h>

#include <csignal>

#include "src/error.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

size_t files_in(const std::string& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

TEST(AtomicFile, ReplacesOnCommitAlone) {
  const TemporaryFolder folder;
  write_text(folder / "f", "old");
  {
    AtomicFile file(folder / "f", 3);
    file.write("new", 3);
    EXPECT_EQ(file_text(folder / "f"), "old");
  }
  EXPECT_EQ(file_text(folder / "f"), "old");
  EXPECT_EQ(files_in(folder.path()), 1U) << "nothing half is left";
  AtomicFile file(folder / "f", 3);
  file.write("new", 3);
  file.commit();
  EXPECT_EQ(file_text(folder / "f"), "new");
  EXPECT_EQ(copy_atomically(folder / "f", folder / "g"), 3U);
  EXPECT_EQ(file_text(folder / "g"), "new");
}

TEST(AtomicFile, SaysWhatAFullDiskLacks) {
  const TemporaryFolder folder;
  try {
    AtomicFile file(folder / "f", uint64_t{1} << 62);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::disk_full);
    EXPECT_NE(std::string(failure.what()).find("4611686018427387904 bytes needed"), std::string::npos);
  }
}

TEST(AtomicFile, ADiskThatFillsWhileWritingKeepsTheOldFile) {
  const TemporaryFolder folder;
  write_text(folder / "f", "old");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &small);
  ErrorCode code = ErrorCode::internal;
  try {
    AtomicFile file(folder / "f", 100000);
    file.write(std::string(100000, 'x').data(), 100000);
  } catch (const Failure& failure) {
    code = failure.code();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(code, ErrorCode::disk_full);
  EXPECT_EQ(file_text(folder / "f"), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

}  // namespace
}  // namespace ringlab
