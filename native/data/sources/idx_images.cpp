#include "data/sources/idx_images.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace ringlab {
namespace {

constexpr int kUnsignedByte = 0x08;
/// A larger size in a header is treated as damage: forty times MNIST. A compressed file of 2 MiB can contain as much.
constexpr int64_t kMaxBytes = int64_t{2} << 30;

[[noreturn]] void bad_file(const std::string& path, const std::string& what, const std::string& hint = "copy or download the file again") {
  throw std::move(Failure(ErrorCode::bad_data, path + ": " + what, hint).at_path(path));
}

/// Reads a file, and decompresses gzip.
class GzipFile {
 public:
  explicit GzipFile(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rbe"), &gzclose) {
    if (!file_) bad_file(path, std::strerror(errno), "check that it is there and may be read");
    gzbuffer(file_.get(), 1 << 17);
  }

  /// Up to `count` bytes; fewer only at the end.
  size_t read(uint8_t* out, size_t count) {
    size_t got = 0;
    while (got < count) {
      const int now = gzread(file_.get(), out + got, static_cast<unsigned>(std::min<size_t>(count - got, 1 << 24)));
      int code = Z_OK;
      const char* words = gzerror(file_.get(), &code);
      // Z_BUF_ERROR: the gzip data are truncated.
      if (code == Z_BUF_ERROR) bad_file(path_, "the .gz ends in the middle");
      if (now < 0) bad_file(path_, code == Z_ERRNO ? std::strerror(errno) : std::string("the .gz is damaged (") + words + ")");
      if (now == 0) break;
      got += static_cast<size_t>(now);
    }
    return got;
  }

 private:
  std::string path_;
  std::unique_ptr<std::remove_pointer_t<gzFile>, int (*)(gzFile)> file_;
};

}  // namespace

IdxArray read_idx(const std::string& path, int dimensions) {
  GzipFile file(path);
  uint8_t head[4];
  if (file.read(head, sizeof head) < sizeof head) bad_file(path, "is too short for an IDX file");
  if (head[0] != 0 || head[1] != 0) bad_file(path, "is no IDX file", "give the files as the data set's authors publish them");
  if (head[2] != kUnsignedByte || head[3] != dimensions) {
    bad_file(path, "holds type " + std::to_string(head[2]) + " in " + std::to_string(head[3]) + " dimensions, not unsigned bytes in " + std::to_string(dimensions),
             "are the files of images and labels exchanged?");
  }
  IdxArray array;
  int64_t total = 1;
  for (int i = 0; i < dimensions; ++i) {
    uint8_t b[4];
    if (file.read(b, sizeof b) < sizeof b) bad_file(path, "is too short for an IDX file");
    const int64_t extent = int64_t{b[0]} << 24 | int64_t{b[1]} << 16 | int64_t{b[2]} << 8 | int64_t{b[3]};
    array.shape.push_back(extent);
    if (extent == 0) bad_file(path, "holds nothing");
    if (extent > kMaxBytes / total) bad_file(path, "its header claims more than 2 GiB");
    total *= extent;
  }
  constexpr size_t kPiece = size_t{1} << 24;
  while (array.values.size() < static_cast<size_t>(total)) {
    const size_t before = array.values.size();
    const size_t wanted = std::min(kPiece, static_cast<size_t>(total) - before);
    array.values.resize(before + wanted);
    const size_t got = file.read(array.values.data() + before, wanted);
    if (got < wanted) {
      bad_file(path, "is truncated: it holds " + std::to_string((before + got) / static_cast<size_t>(total / array.shape[0])) + " of " + std::to_string(array.shape[0]) + " items");
    }
  }
  uint8_t more = 0;
  if (file.read(&more, 1) != 0) bad_file(path, "is longer than its header says");
  return array;
}

IdxImages::IdxImages(const std::string& images_path, const std::string& labels_path, int64_t classes)
    : images_path_(images_path), images_(read_idx(images_path, 3)), labels_(read_idx(labels_path, 1)) {
  if (images_.shape[1] > 1 << 14 || images_.shape[2] > 1 << 14) {
    bad_file(images_path, "its images are " + std::to_string(images_.shape[2]) + " x " + std::to_string(images_.shape[1]) + " pixels; at most 16384 x 16384 are read");
  }
  if (images_.shape[0] != labels_.shape[0]) {
    bad_file(labels_path, "holds " + std::to_string(labels_.shape[0]) + " labels, and " + images_path + " " + std::to_string(images_.shape[0]) + " images",
             "give the two files of one split");
  }
  for (size_t i = 0; i < labels_.values.size(); ++i) {
    if (labels_.values[i] >= classes) {
      bad_file(labels_path, "label " + std::to_string(labels_.values[i]) + " of item " + std::to_string(i) + " is out of range; valid: 0 to " + std::to_string(classes - 1),
               "give --num-classes for a set with more classes");
    }
  }
  for (int64_t i = 0; i < classes; ++i) classes_.push_back(std::to_string(i));
}

StoredImage IdxImages::read(int64_t index) const {
  Image image;
  image.height = static_cast<int>(images_.shape[1]);
  image.width = static_cast<int>(images_.shape[2]);
  const size_t pixels = static_cast<size_t>(images_.shape[1] * images_.shape[2]);
  const uint8_t* grey = images_.values.data() + static_cast<size_t>(index) * pixels;
  image.rgb.resize(3 * pixels);
  for (size_t i = 0; i < pixels; ++i) image.rgb[3 * i] = image.rgb[3 * i + 1] = image.rgb[3 * i + 2] = grey[i];
  return image;
}

}  // namespace ringlab
