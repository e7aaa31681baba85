#include "values/value_file.h"

#include <sys/stat.h>

#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "values/legacy_file.h"
#include "values/pickle.h"
#include "values/safetensors.h"
#include "values/zip.h"

namespace ringlab {
namespace {

/// The container's entries; the strings must outlive them.
struct Contents {
  explicit Contents(const Value& value) : pickled(write_pickle(value)) {
    entries.push_back({"archive/data.pkl", pickled.bytes.data(), pickled.bytes.size()});
    entries.push_back({"archive/byteorder", byte_order.data(), byte_order.size()});
    for (size_t i = 0; i < pickled.storages.size(); ++i) {
      const auto& storage = *pickled.storages[i];
      entries.push_back({"archive/data/" + std::to_string(i), storage.data, static_cast<uint64_t>(storage.elements) * item_size(storage.dtype)});
    }
    entries.push_back({"archive/version", version.data(), version.size()});
  }
  const std::string byte_order = "little";
  const std::string version = "3\n";
  Pickled pickled;
  std::vector<ZipEntry> entries;
};

AtomicFile write_contents(const std::string& path, const Contents& contents) {
  AtomicFile file(path, zip_size(contents.entries));
  write_zip(file, contents.entries);
  file.flush();
  return file;
}

bool is_tar(const FileBytes& file) { return file.size >= 512 && std::memcmp(file.data + 257, "ustar", 5) == 0; }

}  // namespace

ValueFile::ValueFile(const std::string& path, const Value& value) : file_(write_contents(path, Contents(value))) {}

uint64_t write_value(const std::string& path, const Value& value) {
  ValueFile file(path, value);
  file.commit();
  return file.bytes();
}

void throw_mismatch(const std::string& path, const std::string& what) {
  throw std::move(Failure(ErrorCode::checkpoint_mismatch, path + ": " + what, "give a whole file of this architecture, or leave the option away").at_path(path));
}

Value read_value(const std::string& path, Foreign foreign) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) throw std::move(Failure(ErrorCode::bad_data, path + ": no such checkpoint", "give an existing file").at_path(path));
  try {
    FileBytes file = read_whole_file(path);
    if (is_legacy_file(file)) return read_legacy_file(file, foreign);
    if (is_safetensors(file)) return read_safetensors(file);
    if (is_tar(file)) throw FileError("is in the tar format of PyTorch before 0.2; save it once more with any later one: torch.save(torch.load(FILE), FILE)");
    const ZipReader zip(std::move(file));
    if (zip.has(zip.prefix() + "byteorder")) {
      const auto order = zip.read(zip.prefix() + "byteorder");
      if (std::string(reinterpret_cast<const char*>(order.data), order.size) != "little") throw ZipError("was saved on a machine of the other byte order");
    }
    const auto pickle = zip.read(zip.prefix() + "data.pkl");
    if (pickle.size > kMaxPickleBytes) throw ZipError("its data.pkl is larger than that of any checkpoint");
    const std::string_view bytes(reinterpret_cast<const char*>(pickle.data), pickle.size);
    std::map<std::tuple<std::string, DType, int64_t>, std::shared_ptr<const Storage>> loaded;
    return read_pickle(bytes, [&](const std::string& key, DType dtype, int64_t elements) -> std::shared_ptr<const Storage> {
      auto& known = loaded[{key, dtype, elements}];
      if (known) return known;
      const auto record = zip.read(zip.prefix() + "data/" + key);
      if (static_cast<uint64_t>(elements) > record.size / item_size(dtype)) throw ZipError("its storage " + key.substr(0, 40) + " is too short");
      auto storage = std::make_shared<Storage>();
      storage->dtype = dtype;
      storage->elements = elements;
      storage->data = record.data;
      storage->owner = record.owner;
      known = storage;
      return known;
    }, nullptr, foreign);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw_mismatch(path, error.what());
  }
}

}  // namespace ringlab
