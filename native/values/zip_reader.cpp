// Reads the directory and the entries of a zip file, and checks both.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "values/zip.h"

namespace ringlab {
namespace {

constexpr auto get = read_little_endian;

/// Other content often found under a checkpoint's name, recognised by its first bytes.
std::string what_it_is_instead(std::string_view head) {
  const auto begins = [&](std::string_view word) { return head.substr(0, word.size()) == word; };
  if (begins("\x1F\x8B")) return " (no zip, but gzip: unpack it)";
  if (begins("<")) return " (no zip, but a text, perhaps a web page: download it again)";
  if (begins("version https://git-lfs")) return " (no zip, but a pointer of Git LFS: git lfs pull)";
  if (begins("\x89HDF")) return " (no zip, but HDF5, which Keras writes)";
  if (begins("\x80")) return " (no zip, but a pickle: save it with torch.save)";
  return " (no zip)";
}

}  // namespace

ZipReader::ZipReader(const std::string& path) : ZipReader(read_whole_file(path)) {}

ZipReader::ZipReader(FileBytes file) : mapping_(std::move(file.owner)), bytes_(file.data), size_(file.size) { parse(); }

void ZipReader::parse() {
  const std::string_view head(reinterpret_cast<const char*>(bytes_), static_cast<size_t>(std::min<uint64_t>(size_, 64)));
  if (size_ < 4 || std::memcmp(bytes_, "PK\x03\x04", 4) != 0) throw ZipError("is not a checkpoint of torch.save" + what_it_is_instead(head));
  // The end record is in the last 64 KiB; where a zip64 record is beside it, miniz (PyTorch's reader) uses that one.
  uint64_t end = 0;
  const uint64_t lowest = size_ > 22 + 65535 ? size_ - 22 - 65535 : 0;
  for (uint64_t at = size_ >= 22 ? size_ - 22 + 1 : 0; at-- > lowest;) {
    if (std::memcmp(bytes_ + at, "PK\x05\x06", 4) == 0) {
      end = at;
      break;
    }
  }
  if (end == 0) throw ZipError("is cut off (no zip directory)");
  uint64_t count = get(bytes_ + end + 10, 2);
  uint64_t directory = get(bytes_ + end + 16, 4);
  if (end >= 20 && std::memcmp(bytes_ + end - 20, "PK\x06\x07", 4) == 0) {
    const uint64_t record = get(bytes_ + end - 20 + 8, 8);
    if (record > size_ || size_ - record < 56 || std::memcmp(bytes_ + record, "PK\x06\x06", 4) != 0) throw ZipError("its zip64 directory is damaged");
    const uint64_t count64 = get(bytes_ + record + 32, 8);
    const uint64_t directory64 = get(bytes_ + record + 48, 8);
    if ((count != 0xFFFF && count != count64) || (directory != 0xFFFFFFFF && directory != directory64)) throw ZipError("its zip directory and its zip64 directory differ");
    count = count64;
    directory = directory64;
  }
  uint64_t at = directory;
  for (uint64_t i = 0; i < count; ++i) {
    if (at > size_ || size_ - at < 46 || std::memcmp(bytes_ + at, "PK\x01\x02", 4) != 0) throw ZipError("its zip directory is damaged");
    const uint8_t* header = bytes_ + at;
    const uint64_t method = get(header + 10, 2);
    uint64_t stored = get(header + 20, 4);
    uint64_t size = get(header + 24, 4);
    const uint64_t name_length = get(header + 28, 2);
    const uint64_t extra_length = get(header + 30, 2);
    const uint64_t comment_length = get(header + 32, 2);
    uint64_t local = get(header + 42, 4);
    if (size_ - at < 46 + name_length + extra_length + comment_length) throw ZipError("its zip directory is damaged");
    const std::string name(reinterpret_cast<const char*>(header + 46), name_length);
    const uint8_t* extra = header + 46 + name_length;
    for (uint64_t e = 0; e + 4 <= extra_length;) {  // the zip64 field: 8-byte numbers for fields that are all ones
      const uint64_t kind = get(extra + e, 2);
      const uint64_t length = get(extra + e + 2, 2);
      uint64_t field = e + 4;
      const uint64_t field_end = std::min(extra_length, field + length);
      if (kind == 1) {
        for (uint64_t* number : {&size, &stored, &local}) {
          if (*number == 0xFFFFFFFF && field + 8 <= field_end) {
            *number = get(extra + field, 8);
            field += 8;
          }
        }
      }
      e += 4 + length;
    }
    if (name.find("/code/__torch__") != std::string::npos) throw ZipError("is a TorchScript module, not a checkpoint of torch.save; save its weights: torch.save(torch.jit.load(FILE).state_dict(), FILE)");
    if (method != 0 || stored != size) throw ZipError("its entry '" + name.substr(0, 80) + "' is compressed, which torch.save never does");
    if (local > size_ || size_ - local < 30 || std::memcmp(bytes_ + local, "PK\x03\x04", 4) != 0) throw ZipError("an entry's header is damaged");
    const uint64_t start = local + 30 + get(bytes_ + local + 26, 2) + get(bytes_ + local + 28, 2);
    if (start > size_ || size_ - start < size) throw ZipError("an entry reaches past the end of the file");
    entries_[name] = {start, size, static_cast<uint32_t>(get(header + 16, 4))};
    at += 46 + name_length + extra_length + comment_length;
  }
  for (const auto& [name, place] : entries_) {
    const size_t slash = name.rfind('/');
    if (slash != std::string::npos && name.substr(slash) == "/data.pkl" && name.find('/') == slash) prefix_ = name.substr(0, slash + 1);
  }
  if (!prefix_.empty() && has(prefix_ + "constants.pkl")) throw ZipError("is a TorchScript module, not a checkpoint of torch.save");
  if (prefix_.empty()) throw ZipError("is a zip file without a data.pkl: not a checkpoint of torch.save; if files of weights are packed in it, unpack them");
}

ZipReader::Record ZipReader::read(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw ZipError("its entry '" + name.substr(0, 80) + "' is missing");
  const Place& place = found->second;
  if (verified_.count(name) == 0) {  // once per entry: a hostile pickle may request the same one a million times
    if (static_cast<uint32_t>(crc32_z(0, bytes_ + place.offset, place.size)) != place.crc) throw ZipError("its entry '" + name.substr(0, 80) + "' is damaged (CRC)");
    verified_.insert(name);
  }
  return {bytes_ + place.offset, place.size, mapping_};
}

}  // namespace ringlab
