// Frozen parameters: those that are not trained.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/architectures/registry.h"

namespace ringlab {

/// Freezes every parameter whose name is one of `names` or begins with one and a dot; "backbone" means all but the last layer's.
/// Frozen parameters get no gradient and are not exchanged; batch norms update their statistics as in Python, unless they are
/// held. Throws Failure (usage) for a name without parameters, or if no parameter would be trained.
void freeze(Classifier& model, const std::vector<std::string>& names);

/// Batch norms with frozen weights keep their statistics and normalise by them in training, too, as Python's do after eval(),
/// which fine-tuning loops often call. Returns their number.
int64_t hold_frozen_batch_norms(torch::nn::Module& model);

}  // namespace ringlab
