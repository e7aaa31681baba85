#include "checkpoint/rank_state.h"

#include <sys/stat.h>

#include <stdexcept>

#include "checkpoint/value_file.h"
#include "src/error.h"

namespace ringlab {

Value value_of(const RankState& state) {
  const Value sums = Value::dict()
                         .set("images", Value::real(state.sums.images))
                         .set("loss", Value::real(state.sums.loss))
                         .set("top1", Value::real(state.sums.top1))
                         .set("top5", Value::real(state.sums.top5));
  return Value::dict()
      .set("rank", Value::integer(state.rank))
      .set("position", value_of(state.position))
      .set("sums", sums)
      .set("generators", state.generators)
      .set("parts", state.parts);
}

RankState rank_state_of(const Value& value) {
  RankState state;
  const Value* position = value.find("position");
  const Value* sums = value.find("sums");
  if (position == nullptr || sums == nullptr) throw std::runtime_error("is not a rank's state");
  state.rank = static_cast<int>(integer_of(value, "rank"));
  state.position = position_of(*position);
  for (const auto& [name, number] : {std::pair{"images", &state.sums.images}, {"loss", &state.sums.loss}, {"top1", &state.sums.top1}, {"top5", &state.sums.top5}}) {
    if (const Value* sum = sums->find(name)) *number = sum->as_real();
  }
  if (const Value* generators = value.find("generators")) state.generators = *generators;
  if (const Value* parts = value.find("parts")) state.parts = *parts;
  return state;
}

FoundRankState find_rank_state(const std::vector<std::string>& folders, int rank, const std::string& epoch_id) {
  FoundRankState found;
  const auto note = [&](const std::string& text) { found.instead += (found.instead.empty() ? "" : "; ") + text; };
  for (const auto& folder : folders) {
    for (const char* name : {kRankStateFile, kPreviousRankStateFile}) {
      const std::string path = folder + "/" + name;
      struct stat info {};
      if (stat(path.c_str(), &info) != 0) continue;
      try {
        RankState state = rank_state_of(read_value(path));
        if (state.rank == rank && state.position.epoch_id == epoch_id) {
          found.state = std::move(state);
          found.path = path;
          return found;
        }
        if (state.rank != rank) note(path + " is rank " + std::to_string(state.rank) + "'s");
        else note(path + " is of another save, " + text_of(state.position));
      } catch (const Failure& failure) {
        note(failure.what());
      } catch (const std::runtime_error& error) {
        note(path + ": " + error.what());
      }
    }
  }
  if (found.instead.empty()) {
    for (const auto& folder : folders) note("no " + std::string(kRankStateFile) + " in " + folder);
  }
  return found;
}

}  // namespace ringlab
