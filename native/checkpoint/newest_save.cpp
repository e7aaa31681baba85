#include "checkpoint/newest_save.h"

#include <exception>
#include <sstream>
#include <tuple>

#include "checkpoint/rank_state.h"
#include "values/value_file.h"

namespace ringlab {

NewestSave save_in(const std::string& folder, const Position& saved, int64_t world_size) {
  NewestSave save{saved.step, saved.world_size, false};
  if (save.members >= world_size) return save;
  try {
    save.last = rank_state_of(read_value(folder + "/" + kRankStateFile)).position.epoch_id == saved.epoch_id;
  } catch (const std::exception&) {
    // Without its part it is one among others.
  }
  return save;
}

bool counts_of_fewer(int rank, const Position& saved, int64_t world_size) { return rank == 0 || saved.world_size < world_size; }

std::string text_of(const std::optional<NewestSave>& save) { return save ? std::to_string(save->step) + " " + std::to_string(save->members) + (save->last ? " 1" : " 0") : ""; }

std::optional<NewestSave> newest_save_of(const std::string& text) {
  std::istringstream words(text);
  NewestSave save;
  if (!(words >> save.step >> save.members >> save.last) || save.step < 0 || save.step > kMaxSteps || save.members < 1 || save.members > kMaxWorldSize) return std::nullopt;
  return save;
}

std::optional<int> rank_of_newest(const std::vector<std::optional<NewestSave>>& saves) {
  std::optional<int> newest;
  for (size_t rank = 0; rank < saves.size(); ++rank) {
    if (!saves[rank]) continue;
    const auto order = [](const NewestSave& save) { return std::tie(save.step, save.last, save.members); };
    if (!newest || order(*saves[rank]) > order(*saves[static_cast<size_t>(*newest)])) newest = static_cast<int>(rank);
  }
  return newest;
}

}  // namespace ringlab
