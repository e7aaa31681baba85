#include "data/image_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "src/error.h"

namespace ringlab {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void bad_folder(const std::string& path, const std::string& what, const std::string& hint) {
  throw std::move(Failure(ErrorCode::bad_data, path + ": " + what, hint).at_path(path));
}

std::vector<std::string> sorted_class_names(const std::string& root) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

/// All pictures below `folder`, links to folders followed as torchvision does, sorted as os.walk and sorted() give them.
void ImageFolder::collect(const std::string& folder, int32_t label, int depth, std::vector<Sample>& samples) {
  if (depth > 32) return;  // a link that leads back to itself
  std::vector<std::string> files;
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory()) folders.push_back(name);
    else if (has_image_extension(name)) files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  std::sort(folders.begin(), folders.end());
  for (const auto& name : files) samples.push_back({(fs::path(folder) / name).string(), label});
  for (const auto& name : folders) collect((fs::path(folder) / name).string(), label, depth + 1, samples);
}

bool has_image_extension(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return false;
  std::string extension = name.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

ImageFolder::ImageFolder(const std::string& root) : root_(root) {
  try {
    std::error_code error;
    if (!fs::is_directory(root, error)) {
      bad_folder(root, fs::exists(root, error) ? "is not a folder" : "no such folder", "DIR must hold train/<class>/*.jpg and val/<class>/*.jpg");
    }
    classes_ = sorted_class_names(root);
    if (classes_.empty()) bad_folder(root, "has no class folders", "put the pictures of each class into a folder of its own");
    for (size_t label = 0; label < classes_.size(); ++label) {
      const size_t before = samples_.size();
      const fs::path folder = fs::path(root) / classes_[label];
      collect(folder.string(), static_cast<int32_t>(label), 0, samples_);
      if (samples_.size() == before) bad_folder(folder.string(), "the class holds no .jpg, .jpeg or .png", "add pictures or remove the folder");
    }
  } catch (const fs::filesystem_error& error) {
    bad_folder(error.path1().string(), error.code().message(), "check its permissions");
  }
}

void check_pixels(const char* format, int64_t width, int64_t height) {
  if (width <= 0 || height <= 0) throw BrokenImage(std::string(format) + ": its header claims no pixels");
  if (width > kMaxEdge || height > kMaxEdge) {
    throw BrokenImage(std::string(format) + ": its header claims " + std::to_string(width) + " x " + std::to_string(height) + " pixels; at most " + std::to_string(kMaxEdge) + " are read along an edge");
  }
  if (height <= kMaxPixels / width) return;
  throw BrokenImage(std::string(format) + ": its header claims " + std::to_string(width) + " x " + std::to_string(height) + " pixels; at most " + std::to_string(kMaxPixels) + " are read");
}

std::vector<uint8_t> read_file_bytes(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) throw BrokenImage(std::strerror(errno));
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) throw BrokenImage(error.message());
  if (size > kMaxFileBytes) throw BrokenImage("the file has " + std::to_string(size) + " bytes; at most " + std::to_string(kMaxFileBytes) + " are read");
  std::vector<uint8_t> bytes(size);
  const size_t got = std::fread(bytes.data(), 1, bytes.size(), file.get());
  if (std::ferror(file.get()) != 0) throw BrokenImage(std::strerror(errno));
  bytes.resize(got);
  return bytes;
}

}  // namespace ringlab
