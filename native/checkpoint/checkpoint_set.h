// The files of one save over all ranks: a checkpoint takes its name only when every rank's part of it is on a disk.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/error.h"
#include "comm/store/board.h"
#include "values/value.h"
#include "values/value_file.h"

namespace ringlab {

/// What one rank writes at a save.
struct SaveParts {
  std::string epoch_id;
  Value rank_state;
  Value checkpoint;   ///< rank 0's; None on the others
  bool best = false;  ///< the checkpoint also becomes model_best.pth.tar
  std::optional<int64_t> keep_epoch = std::nullopt;  ///< the set is also kept as that of this epoch; no later save replaces it
};

/// One rank's side of all its saves. At every moment the folders hold one whole set: the checkpoint, and on each rank the
/// rank-state.pth, or rank-state.previous.pth, of the checkpoint's epoch id.
class CheckpointSet {
 public:
  /// `board` is null with one process; `folder` is where this rank's files are. `file_is_whole_set`: is the
  /// rank-state.pth that exists now (if any) part of the set that the run resumes?
  CheckpointSet(int rank, int world_size, Board* board, std::string folder, bool file_is_whole_set = true);

  struct Written {
    uint64_t checkpoint_bytes = 0;  ///< rank 0
    uint64_t rank_state_bytes = 0;
    std::string keep_problem;  ///< why the set could not be kept as the best one, or as its epoch's; mostly empty
  };
  /// On all ranks for the same save. Returns when the set is whole; throws Failure on every rank where it is not, naming
  /// the rank and its reason: then the checkpoint before it is still there, and whole. Waits for the others as long as
  /// it takes, at most ten minutes; abandon() ends it.
  Written write(const SaveParts& parts);

  /// From any thread: write() throws as soon as it can.
  void abandon() { abandoned_ = true; }

 private:
  std::string key(const std::string& epoch_id, const std::string& what) const { return "save/" + epoch_id + "/" + what; }
  Written write_with_all(const SaveParts& parts);
  std::string write_own(const SaveParts& parts, std::optional<ValueFile>& checkpoint, Written& written);
  std::string wait_for(const std::string& key, const std::string& who);
  void forget_last();
  std::string keep(const SaveParts& parts) const;

  const int rank_;
  const int world_size_;
  Board* const board_;
  const std::string folder_;
  bool whole_;            ///< the rank-state.pth that is there belongs to the checkpoint that is there
  std::string last_id_;   ///< whose notes rank 0 removes at the next save
  std::atomic<bool> abandoned_{false};
};

}  // namespace ringlab
