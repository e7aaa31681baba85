// A file that is there whole or not at all: written under a temporary name, flushed to the disk, renamed.
#pragma once

#include <cstdint>
#include <string>

namespace ringlab {

/// Until commit() the file at `path` stays as it is; without commit() the temporary file is removed.
/// A full disk throws Failure (disk_full) with the bytes needed and free; other errors Failure (internal).
class AtomicFile {
 public:
  /// `expected_bytes` is the whole size where it is known: checked against the free space before anything is written.
  AtomicFile(std::string path, uint64_t expected_bytes);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t size);
  uint64_t written() const { return written_; }
  /// fsync, rename, fsync of the folder.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::string temporary_;
  uint64_t expected_ = 0;
  uint64_t written_ = 0;
  int fd_ = -1;
};

/// Copies a whole file to `to` in the same manner. Returns its size.
uint64_t copy_atomically(const std::string& from, const std::string& to);

}  // namespace ringlab
