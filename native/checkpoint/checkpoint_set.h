// The files of one save over all ranks: a checkpoint is renamed to its final name only when every rank's part of it is
// on a disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "comm/store/board.h"
#include "values/value.h"
#include "values/value_file.h"

namespace ringlab {

/// What one rank writes in one save.
struct SaveParts {
  std::string epoch_id;
  Value rank_state;
  Value checkpoint;   ///< rank 0's; None on the others
  bool best = false;  ///< rank 0's: the checkpoint also becomes model_best.pth.tar
  std::optional<int64_t> keep_epoch = std::nullopt;  ///< also kept as the set of this epoch, which no later save replaces
};

/// One rank's part in all saves. At any time the folders hold one complete set: the checkpoint, and on each rank the
/// rank-state.pth, or rank-state.previous.pth, of the checkpoint's epoch id.
class CheckpointSet {
 public:
  /// `board` is null with one process; `folder` holds this rank's files. `file_is_whole_set`: an existing
  /// rank-state.pth belongs to the set that the run resumes.
  CheckpointSet(int rank, int world_size, Board* board, std::string folder, bool file_is_whole_set = true);

  struct Written {
    uint64_t checkpoint_bytes = 0;  ///< rank 0
    uint64_t rank_state_bytes = 0;
    bool best = false;         ///< as rank 0 has decided
    std::string keep_problem;  ///< why the set could not be kept as the best one or for its epoch; usually empty
  };
  /// Called on all ranks for the same save. Returns when the set is complete; else throws Failure on every rank, naming
  /// the failed rank and its reason: the previous checkpoint then is still complete. Waits for the others at most ten
  /// minutes; abandon() ends the wait.
  Written write(const SaveParts& parts);

  /// Does this rank's rank-state.pth belong to a complete set? While write() does not run.
  bool file_is_whole_set() const { return whole_; }

  /// From any thread: makes write() throw as soon as possible.
  void abandon() { abandoned_ = true; }

 private:
  std::string key(const std::string& epoch_id, const std::string& what) const { return "save/" + epoch_id + "/" + what; }
  Written write_with_all(const SaveParts& parts);
  std::string write_own(const SaveParts& parts, std::optional<ValueFile>& checkpoint, Written& written);
  std::string wait_for(const std::string& key, const std::string& who);
  void settle_last();
  void forget_last();
  std::string keep(const SaveParts& parts, bool best) const;

  const int rank_;
  const int world_size_;
  Board* const board_;
  const std::string folder_;
  bool whole_;            ///< the existing rank-state.pth belongs to the existing checkpoint
  std::string undecided_id_;  ///< of a save that this rank has written its part of, and rank 0 may have completed
  std::string last_id_;   ///< id whose notes rank 0 removes at the next save
  std::atomic<bool> abandoned_{false};
};

}  // namespace ringlab
