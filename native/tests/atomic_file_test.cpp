// Files that are written whole or not at all.
#include "base/atomic_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

size_t files_in(const std::string& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

TEST(AtomicFile, FolderOfAPath) {
  EXPECT_EQ(folder_of("runs/a/checkpoint.pth.tar"), "runs/a");
  EXPECT_EQ(folder_of("checkpoint.pth.tar"), ".");
  EXPECT_EQ(folder_of("/checkpoint.pth.tar"), "/");
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

TEST(AtomicFile, RemovesWhatAKilledProcessLeft) {
  const TemporaryFolder folder;
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  write_text(folder / ("f.tmp-" + std::to_string(gone)), "half");
  write_text(folder / ("f.tmp-" + std::to_string(getppid())), "another process's, which lives");
  write_text(folder / ("other.tmp-" + std::to_string(gone)), "of another file");
  AtomicFile file(folder / "f", 3);
  EXPECT_FALSE(std::filesystem::exists(folder / ("f.tmp-" + std::to_string(gone))));
  EXPECT_TRUE(std::filesystem::exists(folder / ("f.tmp-" + std::to_string(getppid()))));
  EXPECT_TRUE(std::filesystem::exists(folder / ("other.tmp-" + std::to_string(gone))));
}

TEST(AtomicFile, KeepsAFileUnderASecondName) {
  const TemporaryFolder folder;
  keep_as(folder / "f", folder / "g");
  EXPECT_EQ(files_in(folder.path()), 0U) << "nothing to keep";
  for (const char* text : {"one", "two", "three"}) {
    AtomicFile file(folder / "f", 0);
    file.write(text, std::strlen(text));
    keep_as(folder / "f", folder / "g");  // the previous content
    file.commit();
  }
  EXPECT_EQ(file_text(folder / "f"), "three");
  EXPECT_EQ(file_text(folder / "g"), "two");
  keep_as(folder / "f", folder / "g");
  keep_as(folder / "f", folder / "g");
  EXPECT_EQ(file_text(folder / "g"), "three");
  EXPECT_EQ(files_in(folder.path()), 2U);
}

TEST(AtomicFile, ACopyIsAFileOfItsOwn) {
  const TemporaryFolder folder;
  EXPECT_EQ(copy_atomically(folder / "f", folder / "g"), 0U) << "nothing to copy";
  EXPECT_EQ(files_in(folder.path()), 0U);
  const std::string large = std::string(5 << 20, 'a') + "end";
  write_text(folder / "f", large);
  write_text(folder / "g", "what was there before");
  std::filesystem::create_hard_link(folder / "g", folder / "h");
  EXPECT_EQ(copy_atomically(folder / "f", folder / "g"), large.size());
  EXPECT_EQ(file_text(folder / "g"), large);
  EXPECT_EQ(file_text(folder / "h"), "what was there before") << "a name that another file had is not written through";
  // As shutil.copyfile and torch.save do: writes into the file itself.
  std::ofstream(folder / "g", std::ios::trunc) << "another program's";
  EXPECT_EQ(file_text(folder / "f"), large);
  EXPECT_EQ(std::filesystem::hard_link_count(folder / "f"), 1U);
}

TEST(AtomicFile, AbandonedFilesAreGoneAndNothingIsCommitted) {
  const TemporaryFolder folder;
  write_text(folder / "f", "old");
  // In a separate process: afterwards no file can be written.
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(folder / "f", 0);
    file.write("new", 3);
    abandon_files();
    int refused = 0;
    try {
      file.commit();
    } catch (const Failure&) {
      ++refused;
    }
    try {
      AtomicFile another(folder / "g", 0);
    } catch (const Failure&) {
      ++refused;
    }
    _exit(refused);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(file_text(folder / "f"), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

/// A FIFO without a reader blocks its writer in open(), as does a network file system without its server.
TEST(AtomicFile, AbandoningDoesNotWaitForADiskThatDoesNotAnswer) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    mkfifo((folder / "f.tmp-" + std::to_string(getpid())).c_str(), 0600);
    std::thread([path = folder / "f"] { AtomicFile held(path, 0); }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    abandon_files();
    _exit(7);
  }
  int status = 0;
  bool ended = false;
  for (int i = 0; i < 300 && !ended; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ended = waitpid(child, &status, WNOHANG) != 0;
  }
  if (!ended) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
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
