// The training of one rank: epochs of steps, evaluation, checkpoints.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/console.h"
#include "base/metrics.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_set.h"
#include "checkpoint/pretrained.h"
#include "checkpoint/save_thread.h"
#include "comm/collectives/communicator.h"
#include "comm/collectives/gradient_reducer.h"
#include "compat/cuda_device.h"
#include "data/loading/sampler.h"
#include "launch/launch.h"
#include "models/architectures/registry.h"
#include "models/loss.h"
#include "models/replicas.h"
#include "optim/gradient_scaler.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "options/options.h"
#include "sync/bucket_order.h"
#include "sync/compressor.h"
#include "sync/outer_average.h"
#include "sync/sync_state.h"
#include "train/device.h"
#include "train/model_form.h"
#include "train/recorded_pass.h"
#include "train/training_data.h"

namespace ringlab {

/// How far the run is: read by the watchdog's thread when it reports a lost peer.
struct Progress {
  std::atomic<int64_t> step{0};
  std::atomic<int64_t> epochs_completed{0};
  double started = 0;  ///< steady clock, seconds
  std::optional<double> top1;
  std::optional<double> top5;
  std::optional<double> best_top1;
};

struct EvalResult {
  double loss = 0;
  double top1 = 0;
  double top5 = 0;
  int64_t images = 0;
  double seconds = 0;
  bool stopped = false;  ///< a signal came: the numbers are worth nothing
};

/// Number of rows whose label is among the k largest logits, for k = 1 and 5.
std::pair<int64_t, int64_t> count_top1_top5(const torch::Tensor& logits, const torch::Tensor& labels);

/// Of one batch from the loader: (N, C, H, W) floats and N labels, in the CPU's memory, which is the batch's own.
struct Batch;
class Loader;
torch::Tensor images_of(const Batch& batch);
torch::Tensor labels_of(const Batch& batch);

struct FormatTimes;

class Trainer {
 public:
  enum class Outcome { finished, stopped };

  /// `communicator` is null for a single process. All arguments must outlive the trainer.
  Trainer(const Options& options, const Launch& launch, const TrainingData& data, Communicator* communicator, MetricsFile& metrics, Progress& progress);
  ~Trainer();

  /// Everything from the start line to the last checkpoint; the end line is the caller's.
  /// Throws Failure; exceptions of a broken collective come out as they are.
  Outcome run();
  /// After Outcome::stopped: what asked for it, where the run stands, and the checkpoint that it goes on from.
  std::string stop_text() const;

 private:
  void prepare();
  Share agree_on_share();
  int64_t images_a_step() const;
  void prepare_sync();
  BucketNames saved_buckets(const std::vector<std::pair<std::string, at::Tensor>>& trained);
  void open_files();
  void choose_form();
  void take_pretrained();
  void resume();
  std::string choose_resume() const;
  void share_position();
  void load_rank_states();
  void take_rank_state(const RankState& state, const std::string& path);
  void prepare_optimizer();
  void set_rates(int64_t epoch, int64_t step);
  void write_start_line();
  bool train_epoch(int64_t epoch);
  void prepare_model(const LoadedCheckpoint* resumed);
  bool choose_channels_last(const LoadedCheckpoint* resumed);
  FormatTimes time_formats();
  std::vector<at::Device> replica_devices() const;
  at::ScalarType training_type() const;
  torch::Tensor input_of(const Batch& batch) const;
  Outputs forward(const torch::Tensor& images, at::ScalarType type);
  std::pair<Outputs, Losses> losses_for(const torch::Tensor& images, const torch::Tensor& labels);
  void prepare_recording();
  double train_step(Loader& loader, int64_t epoch, int64_t number, double step_started);
  EvalResult evaluate();
  bool agree_to_stop();
  std::vector<torch::Tensor> statistics() const;
  NamedTensors own_statistics() const;
  void take_statistics(const NamedTensors& saved);
  void sync_buffers();
  struct SaveAccount {
    Position position;
    double best_top1 = 0;
    bool best = false;
    std::string kept;     ///< the name under which the checkpoint is kept for good; mostly empty
    double started = 0;  ///< steady clock, seconds
    double stall = 0;    ///< seconds that save() took
  };
  std::string choose_folder();
  RankState own_state() const;
  void save(bool best, std::optional<int64_t> keep_epoch = std::nullopt);
  void write_save(const SaveParts& parts, const SaveAccount& account);
  void keep_saved_tensors();
  void finish_saving();
  std::string last_good_checkpoint();
  [[noreturn]] void throw_diverged(const std::string& what);
  void refuse_diverged_weights();
  void report_evaluation(const EvalResult& result, int64_t epoch);
  void warn_broken(const std::string& path, const std::string& reason);

  const Options& options_;
  const Launch& launch_;
  const TrainingData& data_;
  Communicator* communicator_;
  MetricsFile& metrics_;
  Progress& progress_;

  at::Device device_;
  Schedule schedule_;
  std::optional<Schedule> backbone_schedule_;  ///< --backbone-lr
  bool channels_last_ = false;  ///< the order of weights and pictures in memory
  std::shared_ptr<Classifier> model_;
  std::unique_ptr<Replicas> replicas_;        ///< null: the model computes itself
  std::unique_ptr<GradientScaler> scaler_;    ///< null: gradients are not scaled
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<compat::StepGraph> graph_;  ///< null: every kernel is started by itself
  std::unique_ptr<RecordedPass> recorded_;    ///< with graph_
  std::unique_ptr<Compressor> compressor_;  ///< null: plain all-reduce
  std::unique_ptr<GradientReducer> reducer_;  ///< null: one process, or local steps
  BucketOrder bucket_order_;                  ///< of reducer_
  std::unique_ptr<OuterAverage> outer_;       ///< null: gradients are averaged
  std::unique_ptr<SyncState> sync_state_;
  TrainingState state_;
  std::optional<LoadedCheckpoint> resumed_;   ///< what open_files() read, until it is taken; rank 0's, as the next two
  std::optional<PretrainedFile> pretrained_;
  Adopted adopted_;  ///< of --pretrained
  ModelForm form_;
  int64_t seed_ = 0;
  Share share_;  ///< of the training pictures
  int64_t steps_per_epoch_ = 0;
  MeterSums sums_;  ///< of the epoch that is running
  StatefulParts rank_parts_;  ///< what each rank's rank-state.pth carries besides: to be filled before resume(); state_.parts is rank 0's
  bool stopping_ = false;

  std::string folder_;        ///< where this rank's files are
  std::string resume_path_;   ///< what is gone on from; "": nothing. Rank 0's word, once it has looked
  uint64_t run_id_ = 0;       ///< of this start, drawn by rank 0
  bool set_is_whole_ = true;  ///< see CheckpointSet
  std::unique_ptr<CheckpointSet> checkpoint_set_;
  std::optional<Position> last_saved_;    ///< the save thread's while it runs, as is the next
  std::optional<Failure> save_failure_;   ///< of the last save
  std::atomic<bool> abandoning_{false};
  SaveThread save_thread_;  ///< last: its end waits for the thread, which uses all of the above

  AverageMeter batch_time_{"Time", "%6.3f"};
  AverageMeter data_time_{"Data", "%6.3f"};
  AverageMeter losses_{"Loss", "%.4e"};
  AverageMeter top1_{"Acc@1", "%6.2f"};
  AverageMeter top5_{"Acc@5", "%6.2f"};
};

}  // namespace ringlab
