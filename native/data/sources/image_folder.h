// torchvision's ImageFolder: <root>/<class>/**/<image>, classes and images in its order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/sources/data_set.h"

namespace ringlab {

/// Files of the folder that are not in the list.
struct LeftOut {
  int64_t others = 0;       ///< files with another extension, or outside the class folders
  std::string first_other;  ///< a path
  int64_t loops = 0;        ///< links to a folder that contains them
  std::string first_loop;
};

/// The list of images of one folder: torchvision's `samples`, in their order. Links to files and folders are followed, except to
/// a parent folder (torchvision lists such a folder forty times, until the system's limit). Reads names only; throws Failure
/// (bad_data) with the path if the folder is missing, has no class folders, or classes without images.
class ImageFolder : public DataSet {
 public:
  explicit ImageFolder(const std::string& root);

  const std::string& root() const override { return root_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  int32_t label(int64_t index) const override { return samples_[static_cast<size_t>(index)].label; }
  std::string name(int64_t index) const override { return samples_[static_cast<size_t>(index)].path; }
  StoredImage read(int64_t index) const override { return read_file_bytes(samples_[static_cast<size_t>(index)].path); }
  std::vector<Remark> remarks() const override;

 private:
  struct Sample {
    std::string path;
    int32_t label = 0;
  };
  std::string root_;
  std::vector<std::string> classes_;
  std::vector<Sample> samples_;
  LeftOut left_out_;
};

/// torchvision's IMG_EXTENSIONS, any case: .jpg .jpeg .png .ppm .bmp .pgm .tif .tiff .webp.
bool has_image_extension(const std::string& name);

}  // namespace ringlab
