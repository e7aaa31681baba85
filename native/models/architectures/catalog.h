// What is known of the architectures without libtorch: their names.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// Every value of --arch, in the order of the registry: a test holds the two together.
const std::vector<std::string>& architecture_names();

/// torchvision's googlenet and inception_v3: their published weights expect pictures of mean and deviation 0.5.
bool takes_transform_input(const std::string& architecture);

}  // namespace ringlab
