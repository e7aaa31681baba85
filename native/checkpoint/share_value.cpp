#include "checkpoint/share_value.h"

#include <ATen/Functions.h>

#include <map>

#include "values/pickle.h"

namespace ringlab {

Value share_value(Communicator& communicator, const Value& value) {
  if (communicator.rank() == 0) {
    Pickled pickled = write_pickle(value);
    communicator.broadcast_bytes(pickled.bytes);
    std::vector<at::Tensor> contents;
    for (const auto& storage : pickled.storages) {
      // Safe: from_blob's memory is not written, as a broadcast only reads on its root.
      contents.push_back(at::from_blob(const_cast<uint8_t*>(storage->data), {storage->elements * static_cast<int64_t>(item_size(storage->dtype))}, at::TensorOptions(at::kByte)));
    }
    if (!contents.empty()) communicator.broadcast(contents);
    return value;
  }
  std::string bytes;
  communicator.broadcast_bytes(bytes);
  std::map<size_t, std::pair<std::shared_ptr<Storage>, at::Tensor>> storages;  // by key, in rank 0's order
  const Value received = read_pickle(bytes, [&](const std::string& key, DType dtype, int64_t elements) -> std::shared_ptr<const Storage> {
    auto& [storage, content] = storages[std::stoul(key)];
    if (!storage) {
      content = at::empty({elements * static_cast<int64_t>(item_size(dtype))}, at::TensorOptions(at::kByte));
      storage = std::make_shared<Storage>();
      storage->dtype = dtype;
      storage->elements = elements;
      storage->data = content.data_ptr<uint8_t>();
      storage->owner = std::make_shared<at::Tensor>(content);
    }
    return storage;
  });
  std::vector<at::Tensor> contents;
  for (const auto& [key, entry] : storages) contents.push_back(entry.second);
  if (!contents.empty()) communicator.broadcast(contents);
  return received;
}

}  // namespace ringlab
