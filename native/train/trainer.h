// The training of one rank: epochs of steps, evaluation, checkpoints.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/console.h"
#include "base/error.h"
#include "optim/gradient_scaler.h"
#include "train/evaluate.h"
#include "train/leaving.h"
#include "train/optimisation.h"
#include "train/rank_model.h"
#include "train/run.h"
#include "train/saver.h"
#include "train/members/step_start.h"
#include "train/members/survivors.h"
#include "train/synchronisation.h"
#include "train/training_step.h"

namespace ringlab {

class Trainer {
 public:
  enum class Outcome { finished, stopped };

  /// `communicator` is null for a single process; it is replaced where ranks are lost and the others go on. All arguments must outlive the trainer.
  Trainer(const Options& options, const Launch& launch, const TrainingData& data, std::unique_ptr<Communicator>& communicator, MetricsFile& metrics, Progress& progress);

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
  /// What an epoch's end changes, as it was before: for ranks that go back to it.
  struct EpochEnd {
    Position position;
    MeterSums sums;
    int64_t steps_per_epoch = 0;
    double best_top1 = 0;
  };
  /// What a rank's place among the members of the next generation changes.
  struct MemberState {
    Launch launch;
    StepSize step;
    Share share;
    Position position;
    MeterSums sums;
    int64_t steps_per_epoch = 0;
    double best_top1 = 0;
    StatefulParts parts;
    StatefulParts rank_parts;
  };
  /// Ranks were lost: what a rank that is left keeps until all of them have what they go on with. Where one more is lost before, it goes back to where it stood.
  struct MemberChange {
    Standing standing;  ///< with the members of before; and with the next ones once this rank has received all
    MemberState before;
    double noticed = 0;                     ///< the first loss: steady clock, seconds
    std::vector<int> places;                ///< the rank of before of each rank that communicates now; empty: the same
    Regrouped next;                         ///< who is to go on; its `places` are ranks of before
    Boundary boundary;                      ///< from where
    std::unique_ptr<Synchronisation> sync;  ///< of before, while there is one of the next members
    std::function<void()> take;             ///< takes what this rank has received into its model. Needs no other rank
  };
  void prepare();
  void describe_model();
  void train_and_evaluate(int64_t epoch, Meters& meters, bool& stopped);
  void report_epoch(int64_t epoch, JsonObject line, const EvalResult& result);
  int64_t images_seen() const;
  bool can_go_on(const std::exception_ptr& failure) const;
  void go_on(std::exception_ptr failure);
  [[noreturn]] void end_saved();
  Stand stand() const;
  MemberChange begin_change() const;
  void agree(MemberChange& change, Regrouped next);
  void go_back(MemberChange& change);
  Boundary take_place(const std::vector<Stand>& stands, const std::vector<int>& places);
  void receive(MemberChange& change);
  std::function<void()> share_step(const Boundary& boundary);
  void complete(MemberChange& change);
  void report_members(const Regrouped& next, const Boundary& boundary) const;
  double find_kept_best() const;
  bool train_epoch(int64_t epoch, Meters& meters);
  void save_within_epoch();
  [[noreturn]] void leave_alone();
  Outcome save_and_stop();
  void report_evaluation(const EvalResult& result, int64_t epoch);
  void judge_overflow(int64_t epoch) const;

  std::unique_ptr<Communicator>& communicator_;
  Launch launch_;   ///< of this rank among those that are there
  RunContext run_;  ///< with launch_
  RunState state_;
  LearningRates rates_;
  int64_t first_global_batch_ = 0;  ///< images of a step at the run's start
  EpochEnd epoch_end_;
  int64_t reported_ = -1;           ///< the last epoch whose lines this rank wrote, and with all that rank 0 writes
  int64_t reported_as_first_ = -1;
  std::optional<Failure> lost_;     ///< what this rank ends with, once it has saved with the others that are left
  int64_t generation_ = 0;          ///< of the members that this rank trains with
  double longest_step_ = 0;         ///< seconds, since the members changed
  std::unique_ptr<RankModel> model_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<StepStart> step_start_;  ///< null: all end where ranks are lost
  std::unique_ptr<GradientScaler> scaler_;  ///< null: gradients are not scaled
  std::unique_ptr<Synchronisation> sync_;
  std::unique_ptr<Saver> saver_;
  std::unique_ptr<TrainingStep> step_;
};

}  // namespace ringlab
