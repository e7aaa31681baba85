// c10d/reducer.hpp includes this header, which Debian's libtorch-dev 1.13.1 does not contain. The Reducer needs only
// the names (a pointer to a context of RPC's distributed autograd). Never define _WIN32 to avoid the include: that
// changes the layout of the Reducer.
#pragma once

#include <functional>
#include <memory>

#include <ATen/core/Tensor.h>

namespace torch {
namespace distributed {
namespace autograd {

class DistAutogradContext {
 public:
  using GradCallback = std::function<bool(at::Tensor&)>;
};

using ContextPtr = std::shared_ptr<DistAutogradContext>;

}  // namespace autograd
}  // namespace distributed
}  // namespace torch
