// Shared by the parts of one rank's training: the inputs of the run, and its state.
#pragma once

#include <c10/core/Device.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/metrics.h"
#include "checkpoint/checkpoint.h"
#include "comm/collectives/communicator.h"
#include "data/loading/cut.h"
#include "data/loading/loader.h"
#include "data/loading/sampler.h"
#include "launch/launch.h"
#include "options/options.h"
#include "train/training_data.h"

namespace ringlab {

/// The run's progress: read by the watchdog's thread when it reports a lost peer.
struct Progress {
  std::atomic<int64_t> step{0};
  std::atomic<int64_t> epochs_completed{0};
  double started = 0;  ///< steady clock, seconds
  std::optional<double> top1;
  std::optional<double> top5;
  std::optional<double> best_top1;
};

/// Warnings about the data that this process has written: a later epoch does not repeat them.
struct DataWarnings {
  using Images = std::unordered_set<int64_t>;  ///< indices in the split. Few: more than 1 % end the run
  Images training;
  Images validation;
  bool refused = false;
};

/// The inputs of one rank. All of them must outlive the training.
struct RunContext {
  const Options& options;
  const Launch& launch;
  const TrainingData& data;
  Communicator* communicator;  ///< null for a single process
  MetricsFile& metrics;
  Progress& progress;
  at::Device device;
  StepSize step;  ///< of this rank, equal on all; it changes where ranks are lost and the global batch is kept
  int64_t replicas_of_two = 0;  ///< replicas that share a batch, if each needs two images: see needs_two_images(). 0: one is enough
  const std::shared_ptr<DataWarnings> warned = std::make_shared<DataWarnings>();

  bool is_first() const { return launch.rank == 0; }
  int64_t images_a_step() const { return step.images() * launch.world_size; }
  /// `images`: those of the split that have been named.
  void warn_broken_image(const Broken& broken, DataWarnings::Images& images) const {
    if (images.insert(broken.index).second) metrics.warn("broken_image", broken.path + ": " + broken.reason, "skipped", broken.path);
  }
  void warn_refused(const Loader& loader) const {
    if (loader.refused().empty() || std::exchange(warned->refused, true)) return;
    metrics.warn("loader_threads", "images are decoded by " + std::to_string(loader.workers()) + " of " + std::to_string(options.workers) + " threads (--workers): the next one could not be started: " + loader.refused(),
                 "steps may wait for images: raise the limit on processes (ulimit -u, a container's or pod's pids limit), or give a smaller --workers");
  }
};

/// The state of the training: changed by steps, stored by saves, restored by a resume.
struct RunState {
  TrainingState training;  ///< saved by rank 0: model, optimizer, position
  MeterSums sums;          ///< of the current epoch
  StatefulParts rank_parts;  ///< further state in each rank's rank-state.pth: must be filled before a resume; training.parts is rank 0's
  Share share;             ///< of the training images
  double kept_best_top1 = 0;  ///< of the model_best.pth.tar in this rank's folder; below 0: there is none. The save thread's while it runs
  int64_t first_per_rank = 0;   ///< images of each rank in an epoch, as long as all ranks of this start are there
  int64_t steps_per_epoch = 0;  ///< of this epoch: see Position::deal
  int64_t seed = 0;
  uint64_t run_id = 0;      ///< of this start, drawn by rank 0
  std::string folder;       ///< where this rank's files are
  int source = 0;           ///< the rank whose start files count: see agree_on_source()
  std::string resume_path;  ///< the checkpoint to resume; "": none. Chosen by `source`
};

}  // namespace ringlab
