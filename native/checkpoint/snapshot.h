// A copy of the training's tensors made while training continues.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// Values whose tensors are separate copies. Tensors that change soon are copied at once; those that are constant until
/// the next optimizer step (parameters, momenta) are only recorded, and copied by copy() on another thread. The sources
/// are kept alive until then. Not thread-safe.
class Snapshot {
 public:
  /// The value with its tensors copied at once.
  Value now(const Value& live) { return take(live, false); }
  /// The value with tensors that are undefined until copy() has run; until then `live` must not change.
  Value later(const Value& live) { return take(live, true); }
  /// Makes the deferred copies.
  void copy();

 private:
  struct Pending {
    std::shared_ptr<const Storage> from;
    uint8_t* to = nullptr;
    std::shared_ptr<const void> owner;
  };
  Value take(const Value& live, bool later);
  std::shared_ptr<const Storage> take(const std::shared_ptr<const Storage>& from, bool later);
  std::vector<Pending> pending_;
};

}  // namespace ringlab
