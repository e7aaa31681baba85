// State that a checkpoint stores by name without knowing its meaning: a scaler, a generator, the state of a
// synchronisation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "values/value.h"

namespace ringlab {

class Stateful {
 public:
  virtual ~Stateful() = default;
  /// Its current state: a dict of numbers, strings and tensors (value_of()). Called by the training thread at a save,
  /// which copies the tensors before training continues.
  virtual Value state_dict() const = 0;
  /// Restores the result of state_dict(). Throws std::runtime_error with the mismatch, and then changes nothing.
  virtual void load_state_dict(const Value& state) = 0;
};

/// Parts by the name under which they are saved. Every rank's file contains its own; see RunState::rank_parts.
using StatefulParts = std::vector<std::pair<std::string, Stateful*>>;

}  // namespace ringlab
