// The training of one rank: epochs of steps, evaluation, checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/console.h"
#include "optim/gradient_scaler.h"
#include "train/evaluate.h"
#include "train/optimisation.h"
#include "train/rank_model.h"
#include "train/run.h"
#include "train/saver.h"
#include "train/synchronisation.h"
#include "train/training_step.h"

namespace ringlab {

class Trainer {
 public:
  enum class Outcome { finished, stopped };

  /// `communicator` is null for a single process. All arguments must outlive the trainer.
  Trainer(const Options& options, const Launch& launch, const TrainingData& data, Communicator* communicator, MetricsFile& metrics, Progress& progress);

  /// Everything from the start line to the last checkpoint; the caller writes the end line. Throws Failure; exceptions
  /// of a broken collective are passed on.
  Outcome run();
  /// After Outcome::stopped: its reason, the position of the run, and the checkpoint to resume.
  std::string stop_text() const { return saver_->stop_text(); }

 private:
  /// Meters of an epoch's steps, as shown on the console.
  struct Meters {
    AverageMeter batch_time{"Time", "%6.3f"};
    AverageMeter data_time{"Data", "%6.3f"};
    AverageMeter losses{"Loss", "%.4e"};
    AverageMeter top1{"Acc@1", "%6.2f"};
    AverageMeter top5{"Acc@5", "%6.2f"};
  };
  void prepare();
  void describe_model();
  bool train_epoch(int64_t epoch, Meters& meters);
  void save_within_epoch();
  Outcome save_and_stop();
  void report_evaluation(const EvalResult& result, int64_t epoch);

  const RunContext run_;
  RunState state_;
  const LearningRates rates_;
  std::unique_ptr<RankModel> model_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<GradientScaler> scaler_;  ///< null: gradients are not scaled
  std::unique_ptr<Synchronisation> sync_;
  std::unique_ptr<Saver> saver_;
  std::unique_ptr<TrainingStep> step_;
};

}  // namespace ringlab
