// The zip container of torch.save: stored entries only, contents aligned to 64 bytes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ringlab {

/// A container that is damaged or of a kind that torch.save does not write.
struct ZipError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ZipEntry {
  std::string name;
  const void* data = nullptr;
  uint64_t size = 0;
};

/// Size of the file that write_zip makes of these.
uint64_t zip_size(const std::vector<ZipEntry>& entries);

/// Writes them in order to `path`, atomically (see AtomicFile for what it throws). At most 4 GiB in all: ZipError.
void write_zip(const std::string& path, const std::vector<ZipEntry>& entries);

/// A file mapped into memory and its directory. Every offset is checked; contents are checked against their CRC on read.
class ZipReader {
 public:
  explicit ZipReader(const std::string& path);

  /// Of the first entry whose name ends in `/data.pkl`: "archive/" and the like. Throws ZipError where there is none.
  const std::string& prefix() const { return prefix_; }
  bool has(const std::string& name) const { return entries_.count(name) != 0; }
  /// The contents of an entry; `data` points into the mapping, which `owner` keeps alive.
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
  std::string prefix_;
};

}  // namespace ringlab
