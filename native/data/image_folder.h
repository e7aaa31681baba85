// torchvision's ImageFolder: <root>/<class>/**/<picture>, classes and pictures in sorted order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/image.h"

namespace ringlab {

struct Sample {
  std::string path;
  int32_t label = 0;
};

/// The list of pictures of one folder. Reads names only; throws Failure (bad_data) that names the path where the
/// folder is missing, has no class folders, or where a class holds no picture.
class ImageFolder {
 public:
  explicit ImageFolder(const std::string& root);

  const std::string& root() const { return root_; }
  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<Sample>& samples() const { return samples_; }
  int64_t size() const { return static_cast<int64_t>(samples_.size()); }

 private:
  std::string root_;
  std::vector<std::string> classes_;
  std::vector<Sample> samples_;
};

/// torchvision's IMG_EXTENSIONS that this trainer can decode: .jpg .jpeg .png, any case.
bool has_image_extension(const std::string& name);

}  // namespace ringlab
