// The architectures' names, for those who do not need libtorch's headers.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// Every value of --arch, in the order of the registry.
std::vector<std::string> architecture_names();

}  // namespace ringlab
