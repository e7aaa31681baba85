// Writes one pack atomically: images one after the other, then the index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "data/formats/image.h"
#include "data/sources/pack_format.h"

namespace ringlab {

class PackWriter {
 public:
  /// `expected_bytes`: the estimated size, compared with the free space. Throws Failure (disk_full, internal).
  PackWriter(const std::string& path, uint32_t edge, std::vector<std::string> classes, uint64_t expected_bytes);

  void add(const Image& image, int32_t label, const std::string& name);
  int64_t images() const { return static_cast<int64_t>(index_.images.size()); }
  /// Writes the index and flushes everything, still under the temporary name. Returns the file's size in bytes.
  uint64_t finish();
  /// Renames the file to its final name.
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
  PackIndex index_;
};

}  // namespace ringlab
