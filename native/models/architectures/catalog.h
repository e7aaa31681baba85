// The architectures' names, for those who do not need libtorch.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// Every value of --arch, in the order of the registry: a test holds the two together.
const std::vector<std::string>& architecture_names();

}  // namespace ringlab
