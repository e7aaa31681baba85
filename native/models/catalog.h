// The architectures' names, for those who do not need libtorch's headers.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// Every value of --arch, in the order of the registry.
std::vector<std::string> architecture_names();

/// Throws Failure (usage) where an architecture cannot be trained with pictures of so many pixels a side; the message has
/// the nearest sizes that it can.
void check_image_size(const std::string& architecture, int64_t size);

}  // namespace ringlab
