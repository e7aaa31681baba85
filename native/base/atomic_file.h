// A file that is replaced atomically: written under a temporary name, flushed to the disk, renamed.
#pragma once

#include <cstdint>
#include <string>

namespace ringlab {

/// The folder of the file `path`: "." for a bare name.
std::string folder_of(const std::string& path);

/// Until commit() the file at `path` stays as it is; without commit() the temporary file is removed. What a killed process
/// left under a temporary name of the same file is removed too.
/// A full disk throws Failure (disk_full) with the bytes needed and free; other errors Failure (internal).
class AtomicFile {
 public:
  /// `expected_bytes` is the whole size where it is known: checked against the free space before anything is written.
  AtomicFile(std::string path, uint64_t expected_bytes);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(const void* data, size_t size);
  /// Everything that the open file `from` holds, `size` bytes.
  void copy(int from, uint64_t size);
  uint64_t written() const { return written_; }
  /// Brings what is written to the disk, so that commit() is quick and cannot run out of space.
  void flush();
  /// Flushes, renames, and flushes the folder.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void refuse_without_space() const;

  std::string path_;
  std::string temporary_;
  uint64_t expected_ = 0;
  uint64_t written_ = 0;
  bool flushed_ = false;
  int fd_ = -1;
};

/// Copies a whole file to `to` in the same manner: as a reflink, which costs nothing, where the file system has them. Nothing that is
/// written into either of them later shows in the other. Returns its size; 0, and nothing happens, where there is no such file.
uint64_t copy_atomically(const std::string& from, const std::string& to);

/// Gives the file a second name (a hard link), replacing what had it: at any time one or the other is there. Nothing happens where
/// there is no such file. For files that only the trainer writes. Throws Failure (internal).
void keep_as(const std::string& file, const std::string& second_name);

/// For a process that is about to _exit while other threads may be writing: removes all temporary files, and lets no file
/// be opened, written to or committed from then on (such calls throw, or wait for the end).
void abandon_files();

}  // namespace ringlab
