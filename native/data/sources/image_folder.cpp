#include "data/sources/image_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "data/sources/python_order.h"

namespace ringlab {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void bad_folder(const std::string& path, const std::string& what, const std::string& hint) {
  throw std::move(Failure(ErrorCode::bad_data, path + ": " + what, hint).at_path(path));
}

bool ends_with(const std::string& name, const std::string& ending) { return name.size() >= ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0; }

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// Identity of a folder, independent of its path.
struct Place {
  dev_t device;
  ino_t inode;
  bool operator==(const Place& other) const { return device == other.device && inode == other.inode; }
};

std::optional<Place> place_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  return Place{status.st_dev, status.st_ino};
}

/// The names in `folder`: folders (and links to them), and all others.
struct Names {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};

Names names_in(const std::string& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::error_code broken_link;
    (entry.is_directory(broken_link) ? names.folders : names.files).push_back(entry.path().filename().string());
  }
  std::sort(names.folders.begin(), names.folders.end(), python_less);
  std::sort(names.files.begin(), names.files.end(), python_less);
  return names;
}

/// os.walk(followlinks=True), all folders before they are sorted.
struct Walk {
  struct Folder {
    std::string path;
    std::vector<std::string> files;
  };
  std::vector<Folder> folders;
  std::vector<Place> above;  ///< the ancestors of the current folder

  void read(const std::string& path, LeftOut& left_out) {
    const auto place = place_of(path);
    if (!place) return;
    if (std::find(above.begin(), above.end(), *place) != above.end()) {
      if (left_out.loops++ == 0) left_out.first_loop = path;
      return;
    }
    Names names = names_in(path);
    folders.push_back({path, std::move(names.files)});
    above.push_back(*place);
    for (const auto& name : names.folders) read(path + "/" + name, left_out);
    above.pop_back();
  }
};

std::string counted(int64_t count, const std::string& one, const std::string& many) { return std::to_string(count) + " " + (count == 1 ? one : many); }

}  // namespace

bool has_image_extension(const std::string& name) {
  const std::string plain = lower(name);
  for (const char* ending : {".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"}) {
    if (ends_with(plain, ending)) return true;
  }
  return false;
}

ImageFolder::ImageFolder(const std::string& root) : root_(root) {
  try {
    std::error_code error;
    if (!fs::is_directory(root, error)) {
      bad_folder(root, fs::exists(root, error) ? "is not a folder" : "no such folder", "DIR must hold train/<class>/*.jpg and val/<class>/*.jpg");
    }
    Names names = names_in(root);
    const auto leave_out = [this](const std::string& path) {
      if (left_out_.others++ == 0) left_out_.first_other = path;
    };
    for (const auto& name : names.files) leave_out(root + "/" + name);
    classes_ = std::move(names.folders);
    if (classes_.empty()) bad_folder(root, "has no class folders", "put the images of each class into a folder of its own");
    std::vector<std::string> empty;
    for (size_t label = 0; label < classes_.size(); ++label) {
      Walk walk;
      if (const auto place = place_of(root)) walk.above.push_back(*place);
      walk.read(root + "/" + classes_[label], left_out_);
      std::sort(walk.folders.begin(), walk.folders.end(), [](const Walk::Folder& a, const Walk::Folder& b) { return python_less(a.path, b.path); });
      const size_t before = samples_.size();
      for (const auto& folder : walk.folders) {
        for (const auto& file : folder.files) {
          std::string path = folder.path + "/" + file;
          if (has_image_extension(file)) samples_.push_back({std::move(path), static_cast<int32_t>(label)});
          else leave_out(path);
        }
      }
      if (samples_.size() == before) empty.push_back(classes_[label]);
    }
    if (!empty.empty()) {
      constexpr size_t kNamed = 20;
      std::string words = empty.size() == 1 ? "the class " : "the classes ";
      for (size_t i = 0; i < std::min(empty.size(), kNamed); ++i) words += (i == 0 ? "" : ", ") + empty[i];
      if (empty.size() > kNamed) words += " and " + std::to_string(empty.size() - kNamed) + " more";
      throw std::move(Failure(ErrorCode::bad_data, root + "/" + empty.front() + ": " + words + (empty.size() == 1 ? " holds no image" : " hold no images") + " (.jpg .jpeg .png .ppm .bmp .pgm .tif .tiff .webp)",
                              "add images or remove the folders")
                          .at_path(root + "/" + empty.front()));
    }
  } catch (const fs::filesystem_error& error) {
    bad_folder(error.path1().string(), error.code().message(), "check its permissions");
  }
}

std::vector<Remark> ImageFolder::remarks() const {
  std::vector<Remark> remarks;
  if (left_out_.others > 0) {
    remarks.push_back({counted(left_out_.others, "file of ", "files of ") + root_ + (left_out_.others == 1 ? " is" : " are") + " not used, the first " + left_out_.first_other,
                       "images have the extension .jpg .jpeg .png .ppm .bmp .pgm .tif .tiff or .webp and lie in a class folder", left_out_.first_other});
  }
  if (left_out_.loops > 0) {
    remarks.push_back({counted(left_out_.loops, "link in ", "links in ") + root_ + " leads back to a folder that contains it and is not followed, the first " + left_out_.first_loop, "remove it", left_out_.first_loop});
  }
  const auto lacking = [&](bool reads, std::initializer_list<const char*> endings, const char* library) {
    if (reads) return;
    int64_t count = 0;
    std::string first;
    for (const auto& sample : samples_) {
      const std::string name = lower(sample.path);
      if (std::none_of(endings.begin(), endings.end(), [&](const char* ending) { return ends_with(name, ending); })) continue;
      if (count++ == 0) first = sample.path;
    }
    if (count == 0) return;
    remarks.push_back({counted(count, "file of ", "files of ") + root_ + " cannot be read here without " + library + ", the first " + first,
                       std::string("install ") + library + " (Debian and Ubuntu: apt-get install " + library + "-dev); where the trainer was built without its headers, build it again then", first});
  };
  lacking(reads_tiff(), {".tif", ".tiff"}, "libtiff");
  lacking(reads_webp(), {".webp"}, "libwebp");
  return remarks;
}

}  // namespace ringlab
