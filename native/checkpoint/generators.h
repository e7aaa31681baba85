// Random number generators used by a model (dropout, stochastic depth): their states in checkpoints.
#pragma once

#include <c10/core/Device.h>

#include "values/value.h"

namespace ringlab {

/// A dict: "cpu" as returned by torch.get_rng_state(), and "device" for a GPU's. The tensors are copies.
Value generator_states(c10::Device device);

/// Restores them; None and missing ones are unchanged. Throws std::runtime_error if one has the wrong size.
void restore_generators(const Value& states, c10::Device device);

}  // namespace ringlab
