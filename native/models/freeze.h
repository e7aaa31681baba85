// Frozen parameters: those that are not trained.
#pragma once

#include <string>
#include <vector>

#include "models/architectures/registry.h"

namespace ringlab {

/// Freezes every parameter whose name is one of `names` or begins with one and a dot; "backbone" means
/// all but the last layer's. What is frozen gets no gradient and crosses no network; batch norms keep their statistics up
/// to date as in Python, unless they are held. Throws Failure (usage) for a name that no parameter has, or where no parameter would be trained.
void freeze(Classifier& model, const std::vector<std::string>& names);

/// Batch norms whose weights are frozen keep their statistics and normalise by them in training too, as Python's do after eval():
/// what loops for fine-tuning often call. Returns how many there are.
int64_t hold_frozen_batch_norms(torch::nn::Module& model);

}  // namespace ringlab
