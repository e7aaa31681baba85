// libtorch's Reducer, the engine of DistributedDataParallel: buckets of gradients are averaged over all ranks while
// backward is still computing the layers before.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/collectives/communicator.h"

namespace ringlab {

/// When the last backward had all gradients, and how long it then still waited for their averages.
struct ReductionTimes {
  double last_bucket_at = 0;  ///< steady clock, seconds: the last bucket was ready and its exchange started
  double waited = 0;          ///< seconds that backward itself waited, where averages are used late
  /// Seconds since the last call in which an exchange was under way while this rank computed instead of waiting for it;
  /// none where that is unknown (a GPU's exchanges run in their own stream).
  std::optional<double> hidden;
};

/// Replaces this rank's gradients of the parameters `which` (their numbers in the constructor's list) by the mean over all
/// ranks. Called in the communicator's thread.
using GradientAverage = std::function<void(const std::vector<size_t>& which, std::vector<at::Tensor>& gradients)>;

/// Names of the parameters of each bucket, in their order in memory.
using BucketNames = std::vector<std::vector<std::string>>;

struct ReductionSettings {
  GradientAverage average;  ///< none: all-reduce, equal to Python's DistributedDataParallel to the bit
  int64_t start = 0;        ///< all-reduce in the steps before this one
  bool late = false;        ///< use the average of the step before, whose exchange then overlaps with a whole step
  /// Those of the first step, of an earlier run's buckets(); empty: one for all parameters, as DistributedDataParallel begins.
  BucketNames buckets;
};

/// Order of a step: before_forward(), forward, before_backward(), backward, after_step(). After backward every `grad` holds the
/// mean over all ranks and is a view into a bucket. Before the next backward let go of it, or set it to zero in place.
///
/// Where three ranks or more add, the last bit of a sum depends on the place in the bucket and on the bucket's size: Gloo's ring
/// begins each piece of it at another rank. So equal buckets are a part of equal results.
class GradientReducer {
 public:
  /// `parameters` all require a gradient, and all get one in every backward. `settings.buckets`, where there are any, hold each of
  /// them once.
  GradientReducer(Communicator& communicator, const std::vector<std::pair<std::string, at::Tensor>>& parameters, ReductionSettings settings = {});
  ~GradientReducer();

  /// `step` counts optimizer steps over the whole run.
  void before_forward(int64_t step);
  void before_backward();
  /// After a step's backward, once.
  ReductionTimes take_times();
  /// After the optimizer, on all ranks. After the first step the buckets become those that DistributedDataParallel makes then: of 1 MiB
  /// and 25 MiB, in the order in which rank 0's gradients came. True where they did: once.
  bool after_step();
  /// The same before a forward pass, as DistributedDataParallel does, where more than one may come before a step. Throws c10d's exception where a parameter
  /// got no gradient in the last backward.
  bool before_pass();
  /// The next step's, first exchanged first.
  BucketNames buckets() const;

  /// With `late`: the averages that the next step will use ("late.<parameter>"). Waits for those on their way.
  std::vector<std::pair<std::string, at::Tensor>> state();
  /// Takes them back before the first step. Throws std::runtime_error where one does not fit.
  void load_state(const std::vector<std::pair<std::string, at::Tensor>>& state);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringlab
