// The buffers of a model with its averaged weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "comm/collectives/communicator.h"

namespace ringlab {

/// A collective: `averaged` (running statistics that each rank has of its own local steps; may be none) become their mean over all ranks, then
/// all `buffers` rank 0's. In double precision the mean of equal numbers is that number: a second time changes nothing.
void share_buffers(Communicator& communicator, std::vector<at::Tensor> averaged, const std::vector<at::Tensor>& buffers);

}  // namespace ringlab
