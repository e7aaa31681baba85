// What the parts of one rank's training have in common: what the run was given, and where it stands.
#pragma once

#include <c10/core/Device.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/metrics.h"
#include "checkpoint/checkpoint.h"
#include "comm/collectives/communicator.h"
#include "data/loading/sampler.h"
#include "launch/launch.h"
#include "options/options.h"
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

/// What one rank was given. All of it outlives the training.
struct RunContext {
  const Options& options;
  const Launch& launch;
  const TrainingData& data;
  Communicator* communicator;  ///< null for a single process
  MetricsFile& metrics;
  Progress& progress;
  at::Device device;

  bool is_first() const { return launch.rank == 0; }
  int64_t images_a_step() const { return int64_t{options.batch_size} * options.accumulate * launch.world_size; }
  void warn_broken_image(const std::string& path, const std::string& reason) const { metrics.warn("broken_image", path + ": " + reason, "skipped", path); }
};

/// Where it stands: what steps change, saves keep and a resume takes back.
struct RunState {
  TrainingState training;  ///< what rank 0 saves: model, optimiser, position
  MeterSums sums;          ///< of the epoch that is running
  StatefulParts rank_parts;  ///< what each rank's rank-state.pth carries besides: to be filled before a resume; training.parts is rank 0's
  Share share;             ///< of the training pictures
  int64_t steps_per_epoch = 0;
  int64_t seed = 0;
  uint64_t run_id = 0;      ///< of this start, drawn by rank 0
  std::string folder;       ///< where this rank's files are
  std::string resume_path;  ///< what is gone on from; "": nothing. Rank 0's word, once it has looked
};

}  // namespace ringlab
