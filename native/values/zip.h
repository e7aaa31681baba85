// The zip container of torch.save: stored entries only, contents aligned to 64 bytes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/file_bytes.h"

namespace ringlab {

/// A damaged container, or one with features that torch.save does not use.
using ZipError = FileError;

struct ZipEntry {
  std::string name;
  const void* data = nullptr;
  uint64_t size = 0;
};

/// Sizes and offsets from this number on are written to zip64 fields. Tests use a smaller one.
constexpr uint64_t kZip32Limit = 0xFFFFFFFF;

/// Size of the file that write_zip creates.
uint64_t zip_size(const std::vector<ZipEntry>& entries, uint64_t limit = kZip32Limit);

/// Writes them in order to a new file (see AtomicFile for its exceptions); the caller calls commit(). At most 65,534.
void write_zip(AtomicFile& file, const std::vector<ZipEntry>& entries, uint64_t limit = kZip32Limit);

/// A file in memory and its directory. Every offset is checked; contents are checked against their CRC when first read.
/// Not thread-safe.
class ZipReader {
 public:
  explicit ZipReader(const std::string& path);
  explicit ZipReader(FileBytes file);

  /// Prefix of the first entry whose name ends in `/data.pkl`: "archive/" and the like. Throws ZipError if there is
  /// none.
  const std::string& prefix() const { return prefix_; }
  bool has(const std::string& name) const { return entries_.count(name) != 0; }
  /// The contents of an entry; `data` points into the file's memory, which `owner` keeps alive.
  struct Record {
    const uint8_t* data = nullptr;
    uint64_t size = 0;
    std::shared_ptr<const void> owner;
  };
  Record read(const std::string& name) const;

 private:
  struct Place {
    uint64_t offset = 0;
    uint64_t size = 0;
    uint32_t crc = 0;
  };
  void parse();
  std::shared_ptr<const void> mapping_;
  const uint8_t* bytes_ = nullptr;
  uint64_t size_ = 0;
  std::map<std::string, Place> entries_;
  mutable std::set<std::string> verified_;  ///< entries whose CRC has been computed
  std::string prefix_;
};

}  // namespace ringlab
