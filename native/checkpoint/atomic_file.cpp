#include "checkpoint/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "src/error.h"

namespace ringlab {
namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Bytes that this user may still write there; -1 where the system does not say.
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

}  // namespace

AtomicFile::AtomicFile(std::string path, uint64_t expected_bytes)
    : path_(std::move(path)), temporary_(path_ + ".tmp-" + std::to_string(getpid())), expected_(expected_bytes) {
  const int64_t free = free_bytes(path_);
  if (free >= 0 && static_cast<uint64_t>(free) < expected_) disk_full(path_, expected_);
  fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0) fail(errno);
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  close(fd_);
  unlink(temporary_.c_str());
}

void AtomicFile::fail(int error) const {
  // EFBIG: the limit on this process's file size, which is as full as a full disk.
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) disk_full(path_, expected_);
  throw std::move(Failure(ErrorCode::internal, path_ + ": " + std::strerror(error), "check that the folder can be written").at_path(path_));
}

void AtomicFile::write(const void* data, size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = ::write(fd_, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes += count;
    size -= static_cast<size_t>(count);
    written_ += static_cast<uint64_t>(count);
  }
}

void AtomicFile::commit() {
  if (fsync(fd_) != 0) fail(errno);
  const int fd = fd_;
  fd_ = -1;
  if (close(fd) != 0 || rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    unlink(temporary_.c_str());
    fail(error);
  }
  const int folder = open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);  // some file systems cannot: the rename is done all the same
    close(folder);
  }
}

uint64_t copy_atomically(const std::string& from, const std::string& to) {
  const int fd = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw std::move(Failure(ErrorCode::internal, from + ": " + std::strerror(errno)).at_path(from));
  struct stat info {};
  fstat(fd, &info);
  try {
    AtomicFile file(to, static_cast<uint64_t>(info.st_size));
    std::vector<char> buffer(size_t{1} << 20);
    ssize_t count = 0;
    while ((count = read(fd, buffer.data(), buffer.size())) > 0) file.write(buffer.data(), static_cast<size_t>(count));
    if (count < 0) throw Failure(ErrorCode::internal, from + ": " + std::strerror(errno));
    file.commit();
  } catch (...) {
    close(fd);
    throw;
  }
  close(fd);
  return static_cast<uint64_t>(info.st_size);
}

}  // namespace ringlab
