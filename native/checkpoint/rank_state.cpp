#include "checkpoint/rank_state.h"

#include <sys/stat.h>

#include <stdexcept>

#include "base/error.h"
#include "values/value_file.h"

namespace ringlab {

Value value_of(const RankState& state) {
  const Value sums = Value::dict()
                         .set("images", Value::real(state.sums.images))
                         .set("loss", Value::real(state.sums.loss))
                         .set("top1", Value::real(state.sums.top1))
                         .set("top5", Value::real(state.sums.top5));
  Value value = Value::dict()
                    .set("rank", Value::integer(state.rank))
                    .set("position", value_of(state.position))
                    .set("sums", sums)
                    .set("generators", state.generators)
                    .set("parts", state.parts);
  if (!state.weights.is_none()) value.set("weights", state.weights);
  return value;
}

RankState rank_state_of(const Value& value) {
  RankState state;
  const Value* position = value.find("position");
  const Value* sums = value.find("sums");
  if (position == nullptr || sums == nullptr) throw std::runtime_error("is not a rank's state");
  state.rank = static_cast<int>(bounded_integer_of(value, "rank", 0, kMaxWorldSize));
  state.position = position_of(*position);
  for (const auto& [name, number] : {std::pair{"images", &state.sums.images}, {"loss", &state.sums.loss}, {"top1", &state.sums.top1}, {"top5", &state.sums.top5}}) {
    if (const Value* sum = sums->find(name)) *number = sum->as_real();
  }
  if (const Value* generators = value.find("generators")) state.generators = *generators;
  if (const Value* parts = value.find("parts")) state.parts = *parts;
  if (const Value* weights = value.find("weights")) state.weights = *weights;
  return state;
}

FoundRankState find_rank_state(const std::vector<std::string>& folders, int rank, const Position& from) {
  FoundRankState found;
  const auto note = [&](const std::string& text) { found.instead += (found.instead.empty() ? "" : "; ") + text; };
  /// `kept`: a permanent copy of one save. It may have another epoch id than the set in question.
  const auto look = [&](const std::string& path, bool kept) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return false;
    try {
      RankState state = rank_state_of(read_value(path));
      if (state.rank == rank && state.position.epoch_id == from.epoch_id) {
        found.state = std::move(state);
        found.path = path;
        return true;
      }
      if (kept) return false;
      if (state.rank != rank) note(path + " is rank " + std::to_string(state.rank) + "'s");
      else note(path + " is of another save, " + text_of(state.position));
    } catch (const Failure& failure) {
      note(failure.what());
    } catch (const std::runtime_error& error) {
      note(path + ": " + error.what());
    }
    return false;
  };
  for (const auto& folder : folders) {
    for (const auto& name : {std::string(kRankStateFile), std::string(kPreviousRankStateFile)}) {
      if (look(folder + "/" + name, false)) return found;
    }
    for (const auto& name : {kept_rank_state_file(from.epoch), std::string(kBestRankStateFile)}) {
      if (look(folder + "/" + name, true)) return found;
    }
  }
  if (found.instead.empty()) {
    for (const auto& folder : folders) note("no " + std::string(kRankStateFile) + " in " + folder);
  }
  return found;
}

RankState newest_rank_state(const std::vector<std::string>& folders, int rank) {
  for (const auto& folder : folders) {
    const std::string path = folder + "/" + kRankStateFile;
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) continue;
    RankState state = rank_state_of(read_value(path));
    if (state.rank == rank) return state;
  }
  throw std::runtime_error("no " + std::string(kRankStateFile));
}

}  // namespace ringlab
