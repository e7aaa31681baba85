#include "checkpoint/newest_save.h"

#include <sstream>

namespace ringlab {

bool counts_of_fewer(int rank, const Position& saved, int64_t world_size) { return rank == 0 || saved.world_size < world_size; }

std::string text_of(const std::optional<NewestSave>& save) { return save ? std::to_string(save->step) + " " + std::to_string(save->members) : ""; }

std::optional<NewestSave> newest_save_of(const std::string& text) {
  std::istringstream words(text);
  NewestSave save;
  if (!(words >> save.step >> save.members) || save.step < 0 || save.step > kMaxSteps || save.members < 1 || save.members > kMaxWorldSize) return std::nullopt;
  return save;
}

std::optional<int> rank_of_newest(const std::vector<std::optional<NewestSave>>& saves) {
  std::optional<int> newest;
  for (size_t rank = 0; rank < saves.size(); ++rank) {
    if (!saves[rank]) continue;
    const NewestSave& one = *saves[rank];
    const NewestSave* best = newest ? &*saves[static_cast<size_t>(*newest)] : nullptr;
    if (best == nullptr || one.step > best->step || (one.step == best->step && one.members > best->members)) newest = static_cast<int>(rank);
  }
  return newest;
}

}  // namespace ringlab
