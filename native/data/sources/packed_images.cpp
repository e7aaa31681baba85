#include "data/sources/packed_images.h"

#include <zlib.h>

#include <cstring>
#include <utility>

#include "base/error.h"

namespace ringlab {
namespace {

[[noreturn]] void bad_pack(const std::string& path, const std::string& what, const std::string& hint = "make it again: ringlab-train pack DIR") {
  throw std::move(Failure(ErrorCode::bad_data, path + ": " + what, hint).at_path(path));
}

/// Reads numbers and texts from a part of the file, with bounds checks.
class Reader {
 public:
  Reader(const std::string& path, const uint8_t* bytes, uint64_t size) : path_(path), at_(bytes), left_(size) {}

  uint64_t number(size_t bytes) {
    need(bytes);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value |= static_cast<uint64_t>(at_[i]) << (8 * i);
    skip(bytes);
    return value;
  }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }
  std::string text() {
    const uint32_t length = u32();
    need(length);
    const std::string value(reinterpret_cast<const char*>(at_), length);
    skip(length);
    return value;
  }
  /// A number of items of at least `bytes` each.
  uint64_t count(uint64_t items, uint64_t bytes) const {
    if (items == 0 || items > left_ / bytes) bad_pack(path_, "its index is damaged: it claims " + std::to_string(items) + " items");
    return items;
  }
  uint64_t left() const { return left_; }

 private:
  void need(uint64_t bytes) const {
    if (bytes > left_) bad_pack(path_, "its index is damaged: it ends too early");
  }
  void skip(uint64_t bytes) {
    at_ += bytes;
    left_ -= bytes;
  }
  const std::string& path_;
  const uint8_t* at_;
  uint64_t left_;
};

PackIndex read_index(const std::string& path, const MappedFile& file) {
  if (std::memcmp(file.data(), kPackHead, 8) != 0) bad_pack(path, "is no pack");
  Reader head(path, file.data() + 8, kPackHeadBytes - 8);
  const uint32_t version = head.u32();
  if (version != kPackVersion) bad_pack(path, "is a pack of version " + std::to_string(version) + "; this ringlab-train reads version " + std::to_string(kPackVersion));
  const uint8_t* end = file.data() + file.size();
  if (std::memcmp(end - 8, kPackTail, 8) != 0) bad_pack(path, "is cut off: its end is missing", "copy it again");
  Reader tail(path, end - kPackTailBytes, kPackTailBytes);
  const uint64_t offset = tail.u64();
  const uint64_t size = tail.u64();
  const uint32_t checksum = tail.u32();
  const uint64_t room = file.size() - kPackHeadBytes - kPackTailBytes;
  if (tail.u32() != kPackVersion || size > room || offset != kPackHeadBytes + room - size) bad_pack(path, "its end is damaged");
  if (static_cast<uint32_t>(crc32_z(0, file.data() + offset, size)) != checksum) bad_pack(path, "its index is damaged (CRC)");

  PackIndex index;
  Reader reader(path, file.data() + offset, size);
  index.edge = reader.u32();
  for (uint64_t left = reader.count(reader.u32(), 4); left > 0; --left) index.classes.push_back(reader.text());
  const uint64_t images = reader.u64();
  index.images.reserve(reader.count(images, 24));
  for (uint64_t i = 0; i < images; ++i) {
    PackedImage image;
    image.offset = reader.u64();
    image.width = reader.u32();
    image.height = reader.u32();
    image.label = reader.u32();
    image.name = reader.text();
    const bool sized = image.width > 0 && image.height > 0 && image.width <= kMaxPixels && image.height <= kMaxPixels / image.width;
    if (!sized || image.offset < kPackHeadBytes || image.offset > offset || uint64_t{3} * image.width * image.height > offset - image.offset) {
      bad_pack(path, "image " + std::to_string(i) + " (" + image.name.substr(0, 80) + ") is outside the file");
    }
    if (image.label >= index.classes.size()) bad_pack(path, "image " + std::to_string(i) + " has label " + std::to_string(image.label) + " of " + std::to_string(index.classes.size()) + " classes");
    index.images.push_back(std::move(image));
  }
  if (reader.left() != 0) bad_pack(path, "its index is longer than it says");
  return index;
}

}  // namespace

PackedImages::PackedImages(const std::string& path) : path_(path), file_(path, kPackHeadBytes + kPackTailBytes, "is too short for a pack"), index_(read_index(path, file_)) {}

StoredImage PackedImages::read(int64_t index) const {
  const PackedImage& found = image(index);
  return ImageView{static_cast<int>(found.width), static_cast<int>(found.height), file_.data() + found.offset};
}

}  // namespace ringlab
