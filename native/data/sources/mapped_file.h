// A file mapped into memory, for reading.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace ringlab {

/// Where such a file becomes shorter, or its disk fails, reading it raises SIGBUS: the process then ends with the exit code of bad_data and one line on standard
/// error that names the file. Copying each image out with pread() would need no signal, and cost a loader of packs 9 % of its processor time in training and 18 % in validation.
class MappedFile {
 public:
  /// Throws Failure (bad_data) with the path if it cannot be opened, is shorter than `least` bytes (`too_short` says so), or cannot be mapped.
  MappedFile(const std::string& path, uint64_t least, const std::string& too_short);

  const uint8_t* data() const { return bytes_.get(); }
  uint64_t size() const { return size_; }

 private:
  std::shared_ptr<const uint8_t> bytes_;
  uint64_t size_ = 0;
};

}  // namespace ringlab
