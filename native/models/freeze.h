// Parameters that do not learn.
#pragma once

#include <string>
#include <vector>

#include "models/registry.h"

namespace ringlab {

/// Stops the learning of every parameter whose name is one of `names` or begins with one and a dot; "backbone" stands for
/// all but the last layer's. What is frozen gets no gradient and crosses no network; batch norms keep their statistics up
/// to date as in Python. Throws Failure (usage) for a name that no parameter has, or where nothing would learn.
void freeze(Classifier& model, const std::vector<std::string>& names);

}  // namespace ringlab
