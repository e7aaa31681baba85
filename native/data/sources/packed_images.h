// A pack as a data set: its pixels are memory-mapped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/sources/data_set.h"
#include "data/sources/mapped_file.h"
#include "data/sources/pack_format.h"

namespace ringlab {

/// All images of one pack. They are in the page cache, shared by all processes that map the file.
class PackedImages : public DataSet {
 public:
  /// Checks every number of the index. Throws Failure (bad_data) with the path: unreadable, not a pack, truncated, damaged,
  /// or of a later version.
  explicit PackedImages(const std::string& path);

  const std::string& root() const override { return path_; }
  const std::vector<std::string>& classes() const override { return index_.classes; }
  int64_t size() const override { return static_cast<int64_t>(index_.images.size()); }
  int32_t label(int64_t index) const override { return static_cast<int32_t>(image(index).label); }
  std::string name(int64_t index) const override { return path_ + ":" + image(index).name; }
  StoredImage read(int64_t index) const override;
  uint32_t edge() const { return index_.edge; }

 private:
  const PackedImage& image(int64_t index) const { return index_.images[static_cast<size_t>(index)]; }

  std::string path_;
  MappedFile file_;
  PackIndex index_;
};

}  // namespace ringlab
