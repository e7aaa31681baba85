// torchvision's ImageFolder: <root>/<class>/**/<picture>, classes and pictures in sorted order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/data_set.h"

namespace ringlab {

/// The list of pictures of one folder. Reads names only; throws Failure (bad_data) that names the path where the
/// folder is missing, has no class folders, or where a class holds no picture.
class ImageFolder : public DataSet {
 public:
  explicit ImageFolder(const std::string& root);

  const std::string& root() const override { return root_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  int32_t label(int64_t index) const override { return samples_[static_cast<size_t>(index)].label; }
  std::string name(int64_t index) const override { return samples_[static_cast<size_t>(index)].path; }
  Picture read(int64_t index) const override { return read_file_bytes(samples_[static_cast<size_t>(index)].path); }

 private:
  struct Sample {
    std::string path;
    int32_t label = 0;
  };
  static void collect(const std::string& folder, int32_t label, int depth, std::vector<Sample>& samples);

  std::string root_;
  std::vector<std::string> classes_;
  std::vector<Sample> samples_;
};

/// torchvision's IMG_EXTENSIONS that this trainer can decode: .jpg .jpeg .png, any case.
bool has_image_extension(const std::string& name);

}  // namespace ringlab
