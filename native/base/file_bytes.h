// A whole file in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ringlab {

/// A file that cannot be read, is damaged, or has content that torch.save does not write.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `owner` keeps the bytes alive.
struct FileBytes {
  std::shared_ptr<const void> owner;
  const uint8_t* data = nullptr;
  uint64_t size = 0;
};

/// Throws FileError if it is empty, not a regular file, larger than this machine's memory, or cannot be read; bad_alloc.
FileBytes read_whole_file(const std::string& path);

/// An unsigned number of `bytes` bytes, little-endian.
inline uint64_t read_little_endian(const uint8_t* at, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= uint64_t{at[i]} << (8 * i);
  return value;
}

/// The same at a place of a text of bytes; the caller has made sure that `size` bytes are there.
inline uint64_t little_endian_at(std::string_view bytes, size_t at, int size) { return read_little_endian(reinterpret_cast<const uint8_t*>(bytes.data()) + at, size); }

}  // namespace ringlab
