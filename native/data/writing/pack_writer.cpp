#include "data/writing/pack_writer.h"

#include <zlib.h>

#include <utility>

namespace ringlab {
namespace {

void put(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

void put(std::string& out, const std::string& text) {
  put(out, text.size(), 4);
  out += text;
}

}  // namespace

PackWriter::PackWriter(const std::string& path, uint32_t edge, std::vector<std::string> classes, uint64_t expected_bytes) : file_(path, expected_bytes) {
  index_.edge = edge;
  index_.classes = std::move(classes);
  std::string head(kPackHead, 8);
  put(head, kPackVersion, 4);
  put(head, 0, 4);
  file_.write(head.data(), head.size());
}

void PackWriter::add(const Image& image, int32_t label, const std::string& name) {
  index_.images.push_back({file_.written(), static_cast<uint32_t>(image.width), static_cast<uint32_t>(image.height), static_cast<uint32_t>(label), name});
  file_.write(image.rgb.data(), image.rgb.size());
}

uint64_t PackWriter::finish() {
  std::string index;
  put(index, index_.edge, 4);
  put(index, index_.classes.size(), 4);
  for (const auto& name : index_.classes) put(index, name);
  put(index, index_.images.size(), 8);
  for (const auto& image : index_.images) {
    put(index, image.offset, 8);
    put(index, image.width, 4);
    put(index, image.height, 4);
    put(index, image.label, 4);
    put(index, image.name);
  }
  std::string tail;
  put(tail, file_.written(), 8);
  put(tail, index.size(), 8);
  put(tail, crc32_z(0, reinterpret_cast<const Bytef*>(index.data()), index.size()), 4);
  put(tail, kPackVersion, 4);
  tail += kPackTail;
  file_.write(index.data(), index.size());
  file_.write(tail.data(), tail.size());
  file_.flush();
  return file_.written();
}

}  // namespace ringlab
