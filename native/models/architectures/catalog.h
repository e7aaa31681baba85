// The names of the architectures, without libtorch.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// Every value of --arch, in the registry's order: a test compares the two.
const std::vector<std::string>& architecture_names();

/// torchvision's googlenet and inception_v3: their published weights expect images with mean and deviation 0.5.
bool takes_transform_input(const std::string& architecture);

}  // namespace ringlab
