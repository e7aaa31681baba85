// The failures of a collective that are not a lost rank.
#pragma once

#include <string>

#include "base/error.h"

namespace ringlab {

/// @param what of the exception that libtorch's backend threw: several lines, with NCCL's own reason below 'Last error:'
Failure backend_failure(const std::string& what);

}  // namespace ringlab
