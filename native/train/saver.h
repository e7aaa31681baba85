// A run's save at the end of an epoch, or within one: checkpoint, best model, and rank state. Copied at once, written while training
// continues.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "checkpoint/checkpoint_set.h"
#include "checkpoint/save_thread.h"
#include "train/optimisation.h"
#include "train/run.h"

namespace ringlab {

/// A collective. This rank's folder for files. Ranks started in folders of the same name, which may be one folder on a network
/// file system, would overwrite each other's files: all but the lowest of them use rank-<k> in it.
std::string choose_folder(const RunContext& run);

/// For the training thread. All arguments must outlive it; the destructor waits for the current save.
class Saver {
 public:
  /// `set_is_whole`: see CheckpointSet.
  Saver(const RunContext& run, RunState& state, const LearningRates& rates, bool set_is_whole);
  ~Saver();

  /// Sets the position's epoch id. Returns as soon as everything that may change before the next optimizer step is
  /// copied; see wait_until_copied(). At the end of an epoch with its `top1`: if that is better than the kept best model's, rank 0's decides, the
  /// checkpoint becomes the best one. With `keep_epoch` it is also kept as that epoch's.
  void save(std::optional<double> top1 = std::nullopt, std::optional<int64_t> keep_epoch = std::nullopt);
  /// Whether a save within the epoch is due (--checkpoint-every), and the last one is written. Only rank 0 decides: see TrainingStep.
  bool is_due() const;
  /// Call it before the optimizer changes tensors of the last save.
  void wait_until_copied() { thread_.wait_until_copied(); }
  /// Waits for the last save. Throws Failure if it failed.
  void finish();
  /// Waits for the current save, which fails where ranks were lost. Whether the newest file belongs to a complete set: see CheckpointSet.
  bool end_save();
  /// The failure of a training in which `what` is not finite; names the last good checkpoint. Waits for the current save.
  Failure diverged(const std::string& what);
  /// After a stop: its reason, the position of the run, and the checkpoint to resume.
  std::string stop_text() const;

 private:
  struct Account {
    Position position;
    double best_top1 = 0;
    std::optional<double> top1;  ///< of the epoch, at its end
    std::string kept;    ///< the name of the checkpoint's permanent copy; usually empty
    double started = 0;  ///< steady clock, seconds
    double stall = 0;    ///< duration of save() in seconds
  };
  RankState own_state() const;
  void write(const SaveParts& parts, const Account& account);
  std::string last_good_checkpoint();

  const RunContext& run_;
  RunState& state_;
  const LearningRates& rates_;
  CheckpointSet set_;
  double last_began_;  ///< of the last save, or of the training: steady clock, seconds
  std::optional<Position> last_saved_;  ///< owned by the save thread while it runs, as the next member
  std::optional<Failure> failure_;      ///< of the last save
  std::atomic<bool> abandoning_{false};
  SaveThread thread_;  ///< last member: its destructor waits for the thread, which uses all of the above
};

}  // namespace ringlab
