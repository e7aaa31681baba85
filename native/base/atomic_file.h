// A file that is replaced atomically: written under a temporary name, flushed, renamed.
#pragma once

#include <cstdint>
#include <string>

namespace ringlab {

/// The parent folder of `path`: "." for a bare name.
std::string folder_of(const std::string& path);

/// Removes temporary files in `folder` whose names begin like this, left by processes of this machine that have exited.
void remove_left_behind(const std::string& folder, const std::string& beginning);

/// Until commit() the file at `path` is unchanged; without commit() the temporary file is removed. Temporary files of
/// the same name that killed processes left are removed, too. A full disk throws Failure (disk_full) with the bytes needed and free; other errors
/// throw Failure (internal).
class AtomicFile {
 public:
  /// `expected_bytes` is the whole size if known: it is compared with the free space before anything is written.
  AtomicFile(std::string path, uint64_t expected_bytes);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(const void* data, size_t size);
  /// Appends the `size` bytes of the open file `from`.
  void copy(int from, uint64_t size);
  uint64_t written() const { return written_; }
  /// Flushes the data to the disk, so that commit() is quick and cannot run out of space.
  void flush();
  /// Flushes, renames, and flushes the parent folder.
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

/// Copies a whole file to `to` atomically, as a reflink if the file system supports it. Later writes to one file never change the
/// other. Returns its size; 0, without any effect, if there is no such file.
uint64_t copy_atomically(const std::string& from, const std::string& to);

/// Gives the file a second name (a hard link), atomically replacing a file of that name. No effect if there is no such file. Only
/// for files that the trainer alone writes. Throws Failure (internal).
void keep_as(const std::string& file, const std::string& second_name);

/// For a process that is about to _exit while other threads may be writing: removes all temporary files; afterwards no
/// file can be opened, written or committed (such calls throw, or wait for the exit).
void abandon_files();

}  // namespace ringlab
