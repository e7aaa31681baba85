// What averages the gradients, or the parameters, of all ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/collectives/gradient_reducer.h"
#include "sync/bucket_order.h"
#include "sync/compressor.h"
#include "sync/parameter_average.h"
#include "sync/stream/stream_rule.h"
#include "sync/sync_state.h"
#include "train/rank_model.h"
#include "train/run.h"

namespace ringlab {

/// For the training thread. All arguments outlive it. Without a communicator every call does nothing.
class Synchronisation {
 public:
  /// Registers what rank 0 saves of it in `state.training.parts`.
  Synchronisation(const RunContext& run, RunState& state, RankModel& model);

  /// Once all ranks have rank 0's model, position and parts: creates the reducer or the outer average, and registers what each rank saves of it.
  /// Throws Failure (usage).
  void prepare();

  /// Around the last forward and backward pass of a step; see GradientReducer.
  void before_forward();
  void before_backward();
  /// When backward was over at `backward_done`: steady clock, seconds.
  ReductionTimes take_times(double backward_done);
  /// Waits for a collective of the training step's own.
  void wait_for(const std::function<void()>& wait);
  /// After the optimizer, which took `lr`: averages the parameters at the end of a period. `loss` is this rank's of the step.
  void after_step(double lr, double loss);
  /// Seconds of exchanges since the last call that were hidden behind other work, where parameters are averaged.
  std::optional<double> take_hidden();
  /// At a step's end: DistributedDataParallel rebuilds its buckets after the first one.
  void update_buckets();
  bool averages_parameters() const { return outer_ != nullptr; }
  /// See ParameterAverage; false where gradients are averaged.
  bool exchanges_through() const { return outer_ && outer_->exchanges_through(); }

  /// Where ranks were lost: see ParameterAverage; 0 where gradients are averaged.
  int64_t landed() const { return outer_ ? outer_->landed() : 0; }
  int64_t landed_step() const { return outer_ ? outer_->landed_step() : 0; }
  /// Once no exchange can succeed any more: waits for those under way, and lets go of the parameters' gradients.
  void abandon();
  /// After prepare(), a collective of the ranks that are left: continues `before`, which was abandoned. See ParameterAverage::take_over(), also for the function returned.
  [[nodiscard]] std::function<void()> take_over(Synchronisation& before, int root, bool behind);

  /// After prepare(), a collective of a resumed run whose save was of another number of ranks. See ParameterAverage::admit().
  void admit(int root, bool is_new, const std::function<void(const Lacking&)>& before_sending);

  /// Before an epoch's first step, or the first one of a resumed run.
  void begin_steps();
  /// At an epoch's end, `last` at the last one's: all ranks get the averaged parameters.
  void average_parameters(bool last);
  /// Gives all ranks the same running statistics of batch norm.
  void share_buffers();

 private:
  BucketNames saved_buckets(const std::vector<std::pair<std::string, at::Tensor>>& trained);
  void report(const StreamPace& from, const StreamChange& change) const;
  NamedTensors own_statistics() const;
  void take_statistics(const NamedTensors& saved);

  const RunContext& run_;
  RunState& state_;
  RankModel& model_;
  std::unique_ptr<Compressor> compressor_;    ///< null: plain all-reduce
  std::unique_ptr<GradientReducer> reducer_;  ///< null: one process, or local steps
  BucketOrder bucket_order_;                  ///< of reducer_
  std::unique_ptr<ParameterAverage> outer_;   ///< null: gradients are averaged
  std::unique_ptr<SyncState> sync_state_;
};

}  // namespace ringlab
