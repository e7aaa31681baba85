// A copy of the training's tensors that is made while training continues.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// Values whose tensors are copies of their own. What changes soon is copied at once; what stays as it is until the next
/// optimizer step (parameters, momenta) is only noted, and copied by copy() on another thread.
/// The sources are kept alive until they are copied. One thread at a time.
class Snapshot {
 public:
  /// The value with tensors that are copied before this returns.
  Value now(const Value& live) { return take(live, false); }
  /// The value with tensors whose contents are undefined until copy() has run; until then `live` must not change.
  Value later(const Value& live) { return take(live, true); }
  /// Makes the copies that were left for later.
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
