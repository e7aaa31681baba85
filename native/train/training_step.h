// One optimizer step: the gradients of its batches, averaged over them and over the ranks.
#pragma once

#include <cstdint>
#include <memory>

#include "compat/cuda_device.h"
#include "optim/gradient_scaler.h"
#include "train/device/input_queue.h"
#include "train/optimisation.h"
#include "train/rank_model.h"
#include "train/device/recorded_pass.h"
#include "train/run.h"
#include "train/saver.h"
#include "train/synchronisation.h"

namespace ringlab {

/// Results of a step over all its batches.
struct StepResult {
  double loss = 0;  ///< mean over the images
  double top1 = 0;  ///< percent of the images
  double top5 = 0;
  int64_t images = 0;
  double data_seconds = 0;  ///< waiting time for batches
  bool stopping = false;    ///< a rank was asked to stop; the same on all ranks
  bool saving = false;      ///< a save within the epoch is due; the same on all ranks
  bool leaving = false;     ///< this rank leaves after it, see LeavesAlone
};

/// Executes a rank's steps. For the training thread. All arguments must outlive it; `scaler` may be null.
class TrainingStep {
 public:
  TrainingStep(const RunContext& run, RunState& state, RankModel& model, Optimizer& optimizer, GradientScaler* scaler, const LearningRates& rates,
               Synchronisation& sync, Saver& saver);

  /// Step `number` of `epoch`: reads its batches from `inputs`, writes the step's line and advances the position. `started`:
  /// steady clock, seconds. Throws Failure (diverged) on all ranks.
  StepResult take(InputQueue& inputs, int64_t epoch, int64_t number, double started);

 private:
  struct Batches;
  struct Flags;
  Batches compute(InputQueue& inputs, int64_t number, double started, Flags& flags);
  bool update(int64_t epoch, int64_t number);

  const RunContext& run_;
  RunState& state_;
  RankModel& model_;
  Optimizer& optimizer_;
  GradientScaler* scaler_;
  const LearningRates& rates_;
  Synchronisation& sync_;
  Saver& saver_;
  bool diverged_ = false;  ///< this rank's loss was not finite in a step in which ranks told one another nothing
  std::unique_ptr<compat::StepGraph> graph_;  ///< null: kernels are launched one by one
  std::unique_ptr<RecordedPass> recorded_;    ///< with graph_
};

}  // namespace ringlab
