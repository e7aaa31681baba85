// CIFAR-10 and CIFAR-100 in their binary version. Format: https://www.cs.toronto.edu/~kriz/cifar.html.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/sources/data_set.h"

namespace ringlab {

/// Images of 32 x 32 pixels; the fine labels for CIFAR-100.
class CifarImages : public DataSet {
 public:
  enum class Kind { cifar10, cifar100 };

  /// `files` are read in order. `folder` may contain a file with the class names; otherwise they are numbers. Throws
  /// Failure (bad_data) with the path: unreadable, truncated, a label out of range.
  CifarImages(Kind kind, const std::string& folder, const std::vector<std::string>& files);

  const std::string& root() const override { return folder_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  int64_t size() const override { return static_cast<int64_t>(labels_.size()); }
  int32_t label(int64_t index) const override { return labels_[static_cast<size_t>(index)]; }
  std::string name(int64_t index) const override;
  StoredImage read(int64_t index) const override;

 private:
  struct File {
    std::string path;
    int64_t first = 0;  ///< index of its first image
  };
  void append(const std::string& path, size_t label_bytes);

  std::string folder_;
  std::vector<std::string> classes_;
  std::vector<File> files_;
  std::vector<uint8_t> labels_;
  std::vector<uint8_t> planes_;  ///< 3072 bytes per image: red, green, blue
};

}  // namespace ringlab
