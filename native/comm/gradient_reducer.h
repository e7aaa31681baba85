// libtorch's Reducer, the engine of DistributedDataParallel: buckets of gradients are averaged over all ranks while
// backward is still computing the layers before.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.h"

namespace ringlab {

/// When the last backward had all gradients, and how long it then still waited for their averages.
struct ReductionTimes {
  double last_bucket_at = 0;  ///< steady clock, seconds: the last bucket was ready and on its way
};

/// Order of a step: before_forward(), forward, before_backward(), backward. After backward every `grad` holds the mean over
/// all ranks and is a view into a bucket. Before the next backward let go of it, or set it to zero in place.
class GradientReducer {
 public:
  /// Verifies that all ranks have the same parameters and gives everyone rank 0's `tensors` (parameters and buffers).
  GradientReducer(Communicator& communicator, const std::vector<std::pair<std::string, at::Tensor>>& parameters, const std::vector<at::Tensor>& buffers);
  ~GradientReducer();

  void before_forward();
  void before_backward();
  ReductionTimes times() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The steady clock in seconds.
double steady_seconds();

}  // namespace ringlab
