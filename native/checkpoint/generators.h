// The random number generators that a model draws from (dropout, stochastic depth): their states in checkpoints.
#pragma once

#include <c10/core/Device.h>

#include "values/value.h"

namespace ringlab {

/// A dict: "cpu" as torch.get_rng_state() gives it, and "device" for a GPU's. The tensors are copies.
Value generator_states(c10::Device device);

/// Puts them back; None and missing ones are left as they are. Throws std::runtime_error where one is of the wrong size.
void restore_generators(const Value& states, c10::Device device);

}  // namespace ringlab
