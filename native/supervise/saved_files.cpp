#include "supervise/saved_files.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "checkpoint/checkpoint_names.h"
#include "checkpoint/rank_state.h"
#include "values/value_file.h"

namespace ringlab {
namespace {

constexpr size_t kMaxFiles = 8;

bool is_kept(const std::string& name) {
  const std::string first = "checkpoint-epoch-";
  const std::string last = ".pth.tar";
  return name.size() > first.size() + last.size() && name.compare(0, first.size(), first) == 0 && name.compare(name.size() - last.size(), last.size(), last) == 0;
}

}  // namespace

std::vector<std::string> saved_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, std::string>> others;
  bool newest = false;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    if (name == kCheckpointFile) newest = true;
    else if (name == kBestFile || is_kept(name)) others.emplace_back(entry->last_write_time(ignored), name);
  }
  std::sort(others.rbegin(), others.rend());
  std::vector<std::string> names;
  if (newest) names.emplace_back(kCheckpointFile);
  for (auto& [time, name] : others) {
    if (names.size() < kMaxFiles) names.push_back(std::move(name));
  }
  return names;
}

std::optional<Position> saved_position(const std::string& path, std::string& why) {
  try {
    const Value value = read_value(path, Foreign::ignored);
    const Value* position = value.find("position");
    if (position != nullptr) return position_of(*position);
    why = "it has no position";
  } catch (const std::exception& error) {
    why = error.what();
  }
  return std::nullopt;
}

bool has_part(const std::string& folder, int rank, const Position& position) {
  try {
    return find_rank_state({folder}, rank, position).state.has_value();
  } catch (const std::exception&) {
    return false;
  }
}

std::optional<NewestSave> newest_save(const std::string& folder, int rank, int64_t world_size) {
  std::string why;
  const auto position = saved_position(folder + "/" + kCheckpointFile, why);
  if (!position || !counts_of_fewer(rank, *position, world_size)) return std::nullopt;
  return save_in(folder, *position, world_size);
}

std::string save_text(const Position& position) {
  return std::to_string(position.epoch) + " " + std::to_string(position.step) + " " + position.epoch_id;
}

std::optional<Position> save_of(const std::string& text) {
  std::istringstream words(text);
  Position position;
  if (!(words >> position.epoch >> position.step >> position.epoch_id)) return std::nullopt;
  if (position.epoch < 0 || position.epoch > kMaxEpoch || position.step < 0 || position.step > kMaxSteps) return std::nullopt;
  return position;
}

}  // namespace ringlab
