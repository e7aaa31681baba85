// The trainer's options: names, short forms and defaults of PyTorch's examples/imagenet/main.py, extended. Parsing
// accesses no file and no socket. Every error is a Failure of code `usage` (exit 2) with one line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "options/choices.h"
#include "sync/mode.h"

namespace ringlab {

struct Options {
  std::string dir;  ///< see data/sources/open_data.h; may be empty with --dummy
  bool dummy = false;
  std::string arch = "resnet18";
  bool sharded_data = false;  ///< train/ contains only this node's part
  int workers = 4;
  int epochs = 90;
  int start_epoch = 0;
  int batch_size = 256;  ///< per process; with --multiprocessing-distributed per node, divided among its ranks
  int accumulate = 1;    ///< micro-batches per step, with the mean of their gradients
  std::optional<double> lr;  ///< value of --lr; see learning_rate()
  OptimizerKind optimizer = OptimizerKind::sgd;
  ScheduleKind scheduler = ScheduleKind::step;
  int warmup_epochs = 0;
  double label_smoothing = 0;
  std::vector<std::string> freeze;  ///< names of parameters or modules, or "backbone"
  bool freeze_bn = false;           ///< frozen batch norms keep their statistics, too
  std::optional<double> backbone_lr;  ///< of all but the last layer; not given: as the last layer
  Parallel parallel = Parallel::ddp;
  int replicas = 0;  ///< of --parallel dp; 0: not given
  bool sync_bn = false;
  When channels_last = When::off;  ///< automatic: as in the resumed checkpoint, or the faster one here
  bool draft = false;
  bool cuda_graph = false;
  Amp amp = Amp::off;
  double momentum = 0.9;
  double weight_decay = 1e-4;
  int print_freq = 10;
  std::string resume;
  std::string pretrained;
  When transform_input = When::automatic;  ///< of googlenet and inception_v3, as the next
  When aux_logits = When::automatic;
  bool fresh_rank_state = false;
  When module_prefix = When::off;  ///< of the names in checkpoints; automatic: if the run is distributed, as in main.py
  int keep_every = 0;  ///< epochs; 0: only the newest and the best checkpoint
  double checkpoint_every = 0;  ///< seconds; 0: at the ends of epochs alone
  bool evaluate = false;
  int world_size = -1;  ///< processes; with --multiprocessing-distributed nodes, as in main.py. -1: not given
  int rank = -1;
  std::string dist_url;
  Backend dist_backend = Backend::gloo;
  std::optional<int64_t> seed;
  std::optional<int> gpu;
  bool no_accel = false;
  bool multiprocessing_distributed = false;
  int nproc_per_node = 0;  ///< 0: not given
  int local_rank = 0;      ///< set by the launcher of --multiprocessing-distributed, or LOCAL_RANK with env://
  int num_classes = 0;     ///< 0: the number of folders in train/
  int image_size = 224;
  int input_channels = 3;
  int step_size = 30;
  double gamma = 0.1;
  SyncMode sync;
  bool check_sync = false;
  std::string metrics;
  int threads = 0;  ///< 0: libtorch's own choice, divided among the node's ranks with --nproc-per-node
  std::string interface;
  std::string address;
  std::string secret_file;         ///< of the run's secret; empty: an open run
  std::vector<std::string> peers;  ///< addresses that may connect to rank 0
  OnLostRank on_lost_rank = OnLostRank::end;
  bool keep_global_batch = false;  ///< of those that go on
  double rendezvous_timeout = 60;  ///< seconds
  double peer_timeout = 2.0;       ///< seconds without a heartbeat after which a peer is lost

  /// The initial learning rate: --lr, or Python's default of the optimizer.
  double learning_rate() const { return lr.value_or(optimizer == OptimizerKind::sgd ? 0.1 : 0.001); }
};

/// Parses the arguments after the program's name. `architectures` are the valid values of --arch. Throws Failure
/// (usage). The caller must handle `--help` and `--version` before.
Options parse_options(const std::vector<std::string>& arguments, const std::vector<std::string>& architectures);

/// The text of --help, wrapped at 100 columns.
std::string help_text(const std::vector<std::string>& architectures);

/// Every option by its long name with its effective value, for the start line's `settings`.
JsonObject options_as_json(const Options& options);

/// Compared by the ranks before training: each option that must be equal on all, with its value.
std::vector<std::pair<std::string, std::string>> agreed_options(const Options& options);

/// Arguments that parse_options parses into the same options.
std::vector<std::string> options_as_arguments(const Options& options);

}  // namespace ringlab
