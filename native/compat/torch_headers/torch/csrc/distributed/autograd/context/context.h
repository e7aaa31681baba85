// Debian's libtorch-dev 1.13.1 includes this header from c10d/reducer.hpp and does not ship it. The Reducer needs the
// names alone (it keeps a pointer to a context that only RPC's distributed autograd ever sets).
// Never define _WIN32 to get round the include: that changes the layout of the Reducer.
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
