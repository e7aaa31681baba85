#include "checkpoint/snapshot.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace ringlab {
namespace {

size_t bytes_of(const Storage& storage) { return static_cast<size_t>(storage.elements) * item_size(storage.dtype); }

}  // namespace

std::shared_ptr<const Storage> Snapshot::take(const std::shared_ptr<const Storage>& from, bool later) {
  // malloc, not a vector: its pages are first touched by the copying thread, not by the training thread.
  const size_t size = bytes_of(*from);
  const std::shared_ptr<void> memory(std::malloc(size > 0 ? size : 1), &std::free);
  if (!memory) throw std::bad_alloc();
  auto storage = std::make_shared<Storage>(*from);
  storage->data = static_cast<const uint8_t*>(memory.get());
  storage->owner = memory;
  if (later) pending_.push_back({from, static_cast<uint8_t*>(memory.get()), memory});
  else if (size > 0) std::memcpy(memory.get(), from->data, size);
  return storage;
}

Value Snapshot::take(const Value& live, bool later) {
  if (live.kind() == Value::Kind::tensor) {
    TensorValue tensor = live.as_tensor();
    tensor.storage = take(tensor.storage, later);
    return Value::tensor(std::move(tensor));
  }
  Value copy = live.shallow_copy();
  if (copy.is_sequence()) {
    for (auto& item : copy.items()) item = take(item, later);
  } else if (copy.is_dict()) {
    for (auto& [key, value] : copy.entries()) value = take(value, later);
  }
  return copy;
}

void Snapshot::copy() {
  for (auto& pending : pending_) {
    const size_t size = bytes_of(*pending.from);
    if (size > 0) std::memcpy(pending.to, pending.from->data, size);
  }
  pending_.clear();
}

}  // namespace ringlab
