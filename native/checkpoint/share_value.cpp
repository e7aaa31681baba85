#include "checkpoint/share_value.h"

#include <ATen/Functions.h>

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/xxh64.h"
#include "comm/collectives/share_model.h"
#include "values/pickle.h"

namespace ringlab {
namespace {

using Storages = std::vector<std::shared_ptr<const Storage>>;

int64_t bytes_of(DType dtype, int64_t elements) {
  const auto bytes = elements < 0 ? std::nullopt : checked_multiply(elements, static_cast<int64_t>(item_size(dtype)));
  if (!bytes) throw Failure(ErrorCode::peer_disagrees, "rank 0 announces a storage of " + std::to_string(elements) + " elements");
  return *bytes;
}

int64_t bytes_of(const Storage& storage) { return bytes_of(storage.dtype, storage.elements); }

int64_t hash_of(const Storage& storage) { return static_cast<int64_t>(xxh64(storage.data, static_cast<size_t>(bytes_of(storage)))); }

at::Tensor bytes_in(const Storage& storage) {
  // Safe: rank 0's bytes are only read, and on other ranks they are a buffer of this file's.
  return at::from_blob(const_cast<uint8_t*>(storage.data), {bytes_of(storage)}, at::TensorOptions(at::kByte));
}

using Available = std::map<std::pair<int64_t, int64_t>, std::shared_ptr<const Storage>>;  ///< by size and hash

/// Empty if `own` is a value that our writer does not support.
Available storages_in(const Value& own) {
  Available found;
  try {
    for (const auto& storage : write_pickle(own).storages) found[{bytes_of(*storage), hash_of(*storage)}] = storage;
  } catch (const std::exception&) {
    found.clear();
  }
  return found;
}

/// Sends the storages that any rank lacks.
void exchange(Communicator& communicator, const Storages& storages, const Lacks& lacks, const std::function<void(int64_t)>& announce) {
  std::vector<at::Tensor> contents;
  int64_t bytes = 0;
  for (size_t i = 0; i < storages.size(); ++i) {
    if (!lacks.pieces[i]) continue;
    contents.push_back(bytes_in(*storages[i]));
    bytes += bytes_of(*storages[i]);
  }
  if (announce && bytes > 0) announce(bytes);
  send_along(communicator, contents, lacks.chain);
}

}  // namespace

Value share_value(Communicator& communicator, const Value& value, const Value& own, const std::function<void(int64_t bytes)>& announce, int root) {
  if (communicator.rank() == root) {
    Pickled pickled = write_pickle(value);
    communicator.broadcast_bytes(pickled.bytes, root);
    at::Tensor hashes = at::empty({static_cast<int64_t>(pickled.storages.size())}, at::kLong);
    for (size_t i = 0; i < pickled.storages.size(); ++i) hashes.data_ptr<int64_t>()[i] = hash_of(*pickled.storages[i]);
    if (!pickled.storages.empty()) exchange(communicator, pickled.storages, agree_on_lacking(communicator, hashes, [](size_t, int64_t) { return true; }, root), announce);
    return value;
  }
  std::string bytes;
  communicator.broadcast_bytes(bytes, root);
  std::map<size_t, std::shared_ptr<const Storage>> by_key;  // in the root's order
  const Value received = read_pickle(bytes, [&](const std::string& key, DType dtype, int64_t elements) {
    auto& storage = by_key[std::stoul(key)];
    if (!storage) {
      const auto content = std::make_shared<at::Tensor>(at::empty({bytes_of(dtype, elements)}, at::TensorOptions(at::kByte)));
      storage = std::make_shared<Storage>(Storage{dtype, elements, content->data_ptr<uint8_t>(), content});
    }
    return storage;
  });
  if (by_key.empty()) return received;
  Storages wanted;
  for (const auto& [key, storage] : by_key) wanted.push_back(storage);
  const Available available = storages_in(own);
  const auto lacks = agree_on_lacking(communicator, at::zeros({static_cast<int64_t>(wanted.size())}, at::kLong), [&](size_t i, int64_t hash) {
    const auto found = available.find({bytes_of(*wanted[i]), hash});
    if (found != available.end()) bytes_in(*wanted[i]).copy_(bytes_in(*found->second));
    return found != available.end();
  }, root);
  exchange(communicator, wanted, lacks, announce);
  return received;
}

}  // namespace ringlab
