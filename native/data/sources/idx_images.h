// MNIST, Fashion-MNIST and similar: images and labels in IDX files, plain or .gz. Format:
// http://yann.lecun.com/exdb/mnist/, "THE IDX FILE FORMAT".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/sources/data_set.h"

namespace ringlab {

/// An array of bytes from an IDX file: `shape` from the outermost dimension, `values` in C order.
struct IdxArray {
  std::vector<int64_t> shape;
  std::vector<uint8_t> values;
};

/// Reads an IDX file of unsigned bytes with `dimensions` dimensions, plain or gzip. Memory grows with the actual content,
/// not with the size in the header. Throws Failure (bad_data) with the path: unreadable, no IDX file, another type,
/// truncated, longer than its header states.
IdxArray read_idx(const std::string& path, int dimensions);

/// The two IDX files of one split. Grey images, returned as RGB.
class IdxImages : public DataSet {
 public:
  /// Labels are 0 to classes - 1. Throws Failure (bad_data): as read_idx, and for different numbers of images and
  /// labels, no images, a label out of range.
  IdxImages(const std::string& images_path, const std::string& labels_path, int64_t classes);

  const std::string& root() const override { return images_path_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  int64_t size() const override { return images_.shape[0]; }
  int32_t label(int64_t index) const override { return labels_.values[static_cast<size_t>(index)]; }
  std::string name(int64_t index) const override { return images_path_ + "[" + std::to_string(index) + "]"; }
  StoredImage read(int64_t index) const override;

 private:
  std::string images_path_;
  IdxArray images_;
  IdxArray labels_;
  std::vector<std::string> classes_;
};

}  // namespace ringlab
