#include "data/sources/cifar_images.h"

#include <algorithm>
#include <cstddef>
#include <fstream>

#include "base/error.h"

namespace ringlab {
namespace {

constexpr int kEdge = 32;
constexpr size_t kPlane = size_t{kEdge} * kEdge;

[[noreturn]] void bad_file(const std::string& path, const std::string& what) {
  throw std::move(Failure(ErrorCode::bad_data, path + ": " + what, "copy or download the file again").at_path(path));
}

std::vector<std::string> class_names(const std::string& path, size_t count) {
  std::vector<std::string> names;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty()) names.push_back(line);
  }
  if (names.size() == count) return names;
  names.clear();
  for (size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

}  // namespace

CifarImages::CifarImages(Kind kind, const std::string& folder, const std::vector<std::string>& files) : folder_(folder) {
  const bool fine = kind == Kind::cifar100;
  classes_ = class_names(folder + (fine ? "/fine_label_names.txt" : "/batches.meta.txt"), fine ? 100 : 10);
  for (const auto& path : files) append(path, fine ? 2 : 1);
}

void CifarImages::append(const std::string& path, size_t label_bytes) {
  std::vector<uint8_t> bytes;
  try {
    bytes = read_file_bytes(path);
  } catch (const BrokenImage& error) {
    bad_file(path, error.what());
  }
  const size_t record = label_bytes + 3 * kPlane;
  if (bytes.empty() || bytes.size() % record != 0) {
    bad_file(path, "is truncated: " + std::to_string(bytes.size()) + " bytes are not a whole number of images of " + std::to_string(record) + " bytes");
  }
  files_.push_back({path, size()});
  for (size_t at = 0; at < bytes.size(); at += record) {
    const uint8_t label = bytes[at + label_bytes - 1];  // CIFAR-100: coarse, fine
    if (label >= classes_.size()) {
      bad_file(path, "label " + std::to_string(label) + " of image " + std::to_string(at / record) + " is out of range; valid: 0 to " + std::to_string(classes_.size() - 1));
    }
    labels_.push_back(label);
    planes_.insert(planes_.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at + label_bytes), bytes.begin() + static_cast<std::ptrdiff_t>(at + record));
  }
}

std::string CifarImages::name(int64_t index) const {
  const auto after = std::upper_bound(files_.begin(), files_.end(), index, [](int64_t i, const File& file) { return i < file.first; });
  const File& file = *(after - 1);
  return file.path + "[" + std::to_string(index - file.first) + "]";
}

StoredImage CifarImages::read(int64_t index) const {
  const uint8_t* planes = planes_.data() + static_cast<size_t>(index) * 3 * kPlane;
  Image image{kEdge, kEdge, std::vector<uint8_t>(3 * kPlane)};
  for (size_t i = 0; i < kPlane; ++i) {
    for (size_t c = 0; c < 3; ++c) image.rgb[3 * i + c] = planes[c * kPlane + i];
  }
  return image;
}

}  // namespace ringlab
