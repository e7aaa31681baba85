#include "base/atomic_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"

namespace ringlab {
namespace {

/// Bytes that this user may still write there; -1 if the system does not report it.
int64_t free_bytes(const std::string& path) {
  struct statvfs info {};
  if (statvfs(folder_of(path).c_str(), &info) != 0) return -1;
  return static_cast<int64_t>(info.f_bavail) * static_cast<int64_t>(info.f_frsize);
}

[[noreturn]] void disk_full(const std::string& path, uint64_t needed) {
  const int64_t free = free_bytes(path);
  throw std::move(Failure(ErrorCode::disk_full,
                          "no space to save " + path + ": " + std::to_string(needed) + " bytes needed, " + std::to_string(free) + " free",
                          "free some space on that disk; the file that was there before is whole")
                      .at_path(path));
}

/// Makes a rename durable, if the file system supports it.
void flush_folder(const std::string& path) {
  const int folder = open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

/// Temporary files that are open now; after abandon, none can be opened.
class OpenFiles {
 public:
  std::timed_mutex mutex;
  std::set<std::string> names;
  std::atomic<bool> abandoned{false};

  static OpenFiles& instance() {
    static OpenFiles files;
    return files;
  }
  void refuse_if_abandoned() const {
    if (abandoned) throw Failure(ErrorCode::internal, "the run is ending: no more files are saved");
  }
};

constexpr const char* kTemporary = ".tmp-";

}  // namespace

void remove_left_behind(const std::string& folder, const std::string& beginning) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const size_t at = name.rfind(kTemporary);
    if (at == std::string::npos || name.compare(0, beginning.size(), beginning) != 0) continue;
    const int pid = std::atoi(name.c_str() + at + std::strlen(kTemporary));
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) unlink(entry.path().c_str());
  }
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

AtomicFile::AtomicFile(std::string path, uint64_t expected_bytes)
    : path_(std::move(path)), temporary_(path_ + kTemporary + std::to_string(getpid())), expected_(expected_bytes) {
  remove_left_behind(folder_of(path_), path_.substr(path_.rfind('/') + 1) + kTemporary);
  refuse_without_space();
  auto& files = OpenFiles::instance();
  const std::lock_guard lock(files.mutex);
  files.refuse_if_abandoned();
  fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0) fail(errno);
  files.names.insert(temporary_);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::move(other.temporary_)), expected_(other.expected_), written_(other.written_), flushed_(other.flushed_),
      fd_(std::exchange(other.fd_, -1)) {}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  close(fd_);
  auto& files = OpenFiles::instance();
  const std::lock_guard lock(files.mutex);
  unlink(temporary_.c_str());
  files.names.erase(temporary_);
}

void AtomicFile::refuse_without_space() const {
  const int64_t free = free_bytes(path_);
  if (free >= 0 && static_cast<uint64_t>(free) < expected_) disk_full(path_, expected_);
}

void AtomicFile::fail(int error) const {
  // EFBIG: the limit on this process's file size; treated as a full disk.
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) disk_full(path_, expected_);
  throw std::move(Failure(ErrorCode::internal, path_ + ": " + std::strerror(error), "check that the folder can be written").at_path(path_));
}

void AtomicFile::write(const void* data, size_t size) {
  constexpr size_t kPiece = size_t{16} << 20;
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    OpenFiles::instance().refuse_if_abandoned();
    const ssize_t count = ::write(fd_, bytes, std::min(size, kPiece));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes += count;
    size -= static_cast<size_t>(count);
    written_ += static_cast<uint64_t>(count);
    flushed_ = false;
  }
}

void AtomicFile::copy(int from, uint64_t size) {
  OpenFiles::instance().refuse_if_abandoned();
  flushed_ = false;
  if (ioctl(fd_, FICLONE, from) == 0) {
    written_ = size;
    return;
  }
  expected_ = size;
  refuse_without_space();
  constexpr size_t kPiece = size_t{16} << 20;
  while (written_ < size) {
    OpenFiles::instance().refuse_if_abandoned();
    const ssize_t count = copy_file_range(from, nullptr, fd_, nullptr, std::min<uint64_t>(kPiece, size - written_), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && written_ == 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)) break;
    if (count < 0) fail(errno);
    if (count == 0) break;
    written_ += static_cast<uint64_t>(count);
  }
  std::vector<char> buffer(written_ < size ? size_t{1} << 20 : 0);
  while (written_ < size) {
    const ssize_t count = pread(from, buffer.data(), std::min<uint64_t>(buffer.size(), size - written_), static_cast<off_t>(written_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    if (count == 0) throw std::move(Failure(ErrorCode::internal, path_ + ": the file became shorter while it was copied").at_path(path_));
    write(buffer.data(), static_cast<size_t>(count));
  }
}

void AtomicFile::flush() {
  if (flushed_) return;
  if (fsync(fd_) != 0) fail(errno);
  flushed_ = true;
}

void AtomicFile::commit() {
  flush();
  {
    auto& files = OpenFiles::instance();
    const std::lock_guard lock(files.mutex);
    files.refuse_if_abandoned();
    files.names.erase(temporary_);
    const int fd = std::exchange(fd_, -1);
    if (close(fd) != 0 || rename(temporary_.c_str(), path_.c_str()) != 0) {
      const int error = errno;
      unlink(temporary_.c_str());
      fail(error);
    }
  }
  flush_folder(path_);
}

void keep_as(const std::string& file, const std::string& second_name) {
  const std::string temporary = second_name + kTemporary + std::to_string(getpid());
  unlink(temporary.c_str());
  if (link(file.c_str(), temporary.c_str()) != 0) {
    if (errno == ENOENT) return;
    copy_atomically(file, second_name);  // a file system without hard links
    return;
  }
  if (rename(temporary.c_str(), second_name.c_str()) != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    throw std::move(Failure(ErrorCode::internal, second_name + ": " + std::strerror(error), "check that the folder can be written").at_path(second_name));
  }
  unlink(temporary.c_str());  // exists if both names already were the same file
  flush_folder(second_name);
}

void abandon_files() {
  // A disk that does not answer (a network file system) may block the thread that holds the lock: the process must exit
  // nevertheless.
  constexpr std::chrono::milliseconds kPatience{300};
  auto& files = OpenFiles::instance();
  files.abandoned = true;
  const std::unique_lock lock(files.mutex, kPatience);
  if (!lock.owns_lock()) return;
  for (const auto& name : files.names) unlink(name.c_str());
  files.names.clear();
}

uint64_t copy_atomically(const std::string& from, const std::string& to) {
  const int fd = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return 0;
  if (fd < 0) throw std::move(Failure(ErrorCode::internal, from + ": " + std::strerror(errno)).at_path(from));
  struct stat info {};
  fstat(fd, &info);
  const auto size = static_cast<uint64_t>(info.st_size);
  try {
    AtomicFile file(to, 0);
    file.copy(fd, size);
    file.commit();
  } catch (...) {
    close(fd);
    throw;
  }
  close(fd);
  return size;
}

}  // namespace ringlab
