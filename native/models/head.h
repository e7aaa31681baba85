// The last layers, whose outputs are the classes: fine-tuning initialises them and trains them with a higher learning rate than
// the backbone.
#pragma once

#include <string>
#include <vector>

#include "models/architectures/registry.h"

namespace ringlab {

/// Names of the last layer ("fc", "classifier.6", "heads.head") and of the auxiliary heads' last layers, in the model's order.
std::vector<std::string> head_layers(const Classifier& model);

/// Does a parameter or buffer of this name belong to the module `layer`, or has it that name itself?
bool lies_in(const std::string& name, const std::string& layer);
bool lies_in(const std::string& name, const std::vector<std::string>& layers);

}  // namespace ringlab
