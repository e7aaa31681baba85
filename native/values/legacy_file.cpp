#include "values/legacy_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>

#include "base/checked.h"
#include "values/pickle.h"

namespace ringlab {
namespace {

/// LONG1 of ten bytes and STOP: 0x1950a86a20f9469cfc6c.
constexpr std::string_view kMagic("\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.", 13);
/// PROTO, and since protocol 4 FRAME, precede it.
constexpr size_t kMaxBeforeMagic = 16;
constexpr int64_t kVersion = 1001;

std::string_view text_of(const FileBytes& file, uint64_t from, uint64_t maximum) {
  return {reinterpret_cast<const char*>(file.data) + from, static_cast<size_t>(std::min(maximum, file.size - from))};
}

size_t magic_end(const FileBytes& file) {
  const std::string_view head = text_of(file, 0, kMaxBeforeMagic + kMagic.size());
  const size_t at = head.empty() || head[0] != '\x80' ? std::string_view::npos : head.find(kMagic);
  return at == std::string_view::npos ? 0 : at + kMagic.size();
}

/// Reads the file pickle by pickle.
class Reader {
 public:
  Reader(const FileBytes& file, Foreign foreign) : file_(file), foreign_(foreign), at_(magic_end(file)) {}

  Value pickle(const StorageLoader& load) {
    size_t used = 0;
    Value value = read_pickle(text_of(file_, at_, kMaxPickleBytes), load, &used, foreign_);
    at_ += used;
    return value;
  }
  Value plain_pickle() {
    return pickle([](const std::string&, DType, int64_t) -> std::shared_ptr<const Storage> { throw FileError("its head holds a tensor"); });
  }
  uint64_t at() const { return at_; }
  const uint8_t* take(uint64_t size) {
    if (size > file_.size - at_) throw FileError("is cut off");
    const uint8_t* data = file_.data + at_;
    at_ += size;
    return data;
  }

 private:
  const FileBytes& file_;
  Foreign foreign_;
  uint64_t at_;
};

std::shared_ptr<Storage> aligned_copy(DType dtype, int64_t elements, const uint8_t* from) {
  const size_t bytes = static_cast<size_t>(elements) * item_size(dtype);
  const auto memory = std::make_shared<std::vector<double>>(bytes / sizeof(double) + 1);  // never empty, so that it has an address
  if (bytes > 0) std::memcpy(memory->data(), from, bytes);
  auto storage = std::make_shared<Storage>();
  storage->dtype = dtype;
  storage->elements = elements;
  storage->data = reinterpret_cast<const uint8_t*>(memory->data());
  storage->owner = memory;
  return storage;
}

}  // namespace

bool is_legacy_file(const FileBytes& file) { return magic_end(file) != 0; }

Value read_legacy_file(const FileBytes& file, Foreign foreign) {
  Reader reader(file, foreign);
  if (reader.plain_pickle().as_integer() != kVersion) throw FileError("is of an unknown version of torch.save");
  const Value machine = reader.plain_pickle();
  const Value* little = machine.find("little_endian");
  if (little != nullptr && little->as_integer() == 0) throw FileError("was saved on a machine of the other byte order");

  // First to find its storages, which follow it; then again with them.
  std::map<std::string, std::shared_ptr<Storage>> storages;
  const auto name_it = [&](const std::string& key, DType dtype, int64_t elements) -> std::shared_ptr<const Storage> {
    auto& known = storages[key];
    if (known && (known->dtype != dtype || known->elements != elements)) throw FileError("its storage " + key.substr(0, 40) + " is of two kinds");
    if (!known) {
      known = std::make_shared<Storage>();
      known->dtype = dtype;
      known->elements = elements;
    }
    return known;
  };
  Reader object = reader;
  reader.pickle(name_it);
  const Value keys = reader.plain_pickle();
  for (const Value& key : keys.items()) {
    const auto found = storages.find(key.as_text());
    if (found == storages.end() || found->second->data != nullptr) throw FileError("its list of storages does not fit its tensors");
    Storage& wanted = *found->second;
    constexpr uint64_t kCountBytes = 8;
    const uint64_t elements = read_little_endian(reader.take(kCountBytes), kCountBytes);
    const auto bytes = checked_multiply(wanted.elements, static_cast<int64_t>(item_size(wanted.dtype)));
    if (elements != static_cast<uint64_t>(wanted.elements) || !bytes) throw FileError("its storage " + key.as_text().substr(0, 40) + " is of another size");
    const uint8_t* data = reader.take(static_cast<uint64_t>(*bytes));
    found->second = aligned_copy(wanted.dtype, wanted.elements, data);
  }
  return object.pickle([&](const std::string& key, DType, int64_t) -> std::shared_ptr<const Storage> {
    const auto& storage = storages.at(key);
    if (storage->data == nullptr) throw FileError("lacks its storage " + key.substr(0, 40));
    return storage;
  });
}

}  // namespace ringlab
