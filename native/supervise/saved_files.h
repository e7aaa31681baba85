// The checkpoints in a rank's folder from which a run can go on, and whether a rank has its part of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/newest_save.h"
#include "checkpoint/position.h"

namespace ringlab {

/// Names of rank 0's checkpoints in `folder`: the newest, then the best and the kept ones, the newest first; at most eight.
std::vector<std::string> saved_files(const std::string& folder);

/// The position of the checkpoint in a whole file, every byte of which was checked. Nothing if it is damaged; `why` receives the reason.
std::optional<Position> saved_position(const std::string& path, std::string& why);

/// Does the folder hold this rank's undamaged state of that save?
bool has_part(const std::string& folder, int rank, const Position& position);

/// This rank's newest checkpoint, as counts_of_fewer() says, every byte of which was checked. Nothing where it has none, or it is damaged.
std::optional<NewestSave> newest_save(const std::string& folder, int rank, int64_t world_size);

/// For messages between supervisors.
std::string save_text(const Position& position);
/// Nothing if it is not such a text.
std::optional<Position> save_of(const std::string& text);

}  // namespace ringlab
