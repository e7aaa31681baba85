// Where ranks were lost, each rank may have a checkpoint of its own: which of them a run continues from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/position.h"

namespace ringlab {

/// The newest checkpoint in one rank's folder.
struct NewestSave {
  int64_t step = 0;     ///< optimizer steps over the whole run
  int64_t members = 1;  ///< ranks that saved it together
  bool last = false;    ///< of fewer ranks than all, and this rank has saved nothing since: its part of an earlier save of all at that step is overwritten
};

/// Of the checkpoint of that position in `folder`, where the rank's part lies beside it.
NewestSave save_in(const std::string& folder, const Position& saved, int64_t world_size);

/// Whether a rank's checkpoint may be continued from by a run of `world_size` ranks that save together when they lose some (--on-lost-rank save): rank 0's, or one of fewer ranks.
bool counts_of_fewer(int rank, const Position& saved, int64_t world_size);

/// For the other ranks; "" without one.
std::string text_of(const std::optional<NewestSave>& save);
/// Nothing for any other text.
std::optional<NewestSave> newest_save_of(const std::string& text);

/// The rank whose save it is, of one of each rank: of the largest step; of equal ones a `last` one, then of the most members, then of the lowest rank. Nothing if none has one.
std::optional<int> rank_of_newest(const std::vector<std::optional<NewestSave>>& saves);

}  // namespace ringlab
