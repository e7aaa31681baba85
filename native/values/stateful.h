// What a checkpoint carries by name without knowing what it is: a scaler, a generator, the state of a synchronisation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "values/value.h"

namespace ringlab {

class Stateful {
 public:
  virtual ~Stateful() = default;
  /// Its state now: a dict of numbers, texts and tensors (value_of()). Called by the training thread at a save, which
  /// copies the tensors before training continues.
  virtual Value state_dict() const = 0;
  /// Takes back what state_dict() gave. Throws std::runtime_error that says what does not fit, and changes nothing then.
  virtual void load_state_dict(const Value& state) = 0;
};

/// Parts by the name under which they are saved. Every rank's file carries its own; see RunState::rank_parts.
using StatefulParts = std::vector<std::pair<std::string, Stateful*>>;

}  // namespace ringlab
