#include "collect/collect.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>
#include <thread>

#include "base/arguments.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/stop_signal.h"
#include "collect/collection.h"

namespace ringlab {
namespace {

constexpr double kTick = 0.2;  ///< seconds between two looks at the sizes of files
constexpr int kMaxRank = 99999;

/// `0=RANKDIR:WORKDIR`
RankFolders rank_of(const std::string& given, const std::string& value) {
  const size_t equals = value.find('=');
  const size_t colon = value.find(':', equals == std::string::npos ? 0 : equals);
  const auto rank = number_of<int>(std::string_view(value).substr(0, equals));
  const bool complete = equals != std::string::npos && colon != std::string::npos && colon > equals + 1 && colon + 1 < value.size();
  if (!complete || !rank || *rank < 0 || *rank > kMaxRank) throw Failure(ErrorCode::usage, given + ": not RANK=RANKDIR:WORKDIR");
  RankFolders folders{*rank, value.substr(equals + 1, colon - equals - 1), value.substr(colon + 1)};
  for (std::string* folder : {&folders.rank_folder, &folders.work_folder}) {
    while (folder->size() > 1 && folder->back() == '/') folder->pop_back();
  }
  return folders;
}

/// `0=42,1a2b3c4d:5000,...`: the first number that the reader of this rank's lines does not have, and places up to which it has a file's records.
void add_stored(const std::string& given, const std::string& value, std::map<int, StoredLines>& stored) {
  const auto refused = [&] { return Failure(ErrorCode::usage, given + ": not RANK=NUMBER[,FILE:END...]"); };
  const size_t equals = value.find('=');
  if (equals == std::string::npos) throw refused();
  const auto rank = number_of<int>(std::string_view(value).substr(0, equals));
  if (!rank) throw refused();
  StoredLines lines;
  const std::string list = value.substr(equals + 1);
  for (size_t from = 0; from <= list.size();) {
    const size_t end = std::min(list.find(',', from), list.size());
    const std::string_view item = std::string_view(list).substr(from, end - from);
    const size_t colon = item.find(':');
    const auto number = number_of<int64_t>(colon == std::string_view::npos ? item : item.substr(colon + 1));
    // Only the first item has no file.
    if (!number || *number < 0 || (from == 0) != (colon == std::string_view::npos)) throw refused();
    if (from == 0) {
      lines.first_number = *number;
    } else {
      lines.places.push_back({std::string(item.substr(0, colon)), static_cast<uint64_t>(*number)});
    }
    from = end + 1;
  }
  stored[*rank] = std::move(lines);
}

CollectSettings parse(const std::vector<std::string>& arguments) {
  CollectSettings settings;
  std::map<int, StoredLines> stored;
  parse_arguments("collect", arguments,
                  {{"--rank", true, [&](const std::string& given, const std::string& value) { settings.ranks.push_back(rank_of(given, value)); }},
                   {"--stored", true, [&](const std::string& given, const std::string& value) { add_stored(given, value, stored); }},
                   {"--output", true,
                    [&](const std::string& given, const std::string& value) {
                      if (value.empty()) throw Failure(ErrorCode::usage, given + ": no file");
                      settings.outputs.push_back(value);
                    }},
                   text_row("--patterns", settings.patterns),
                   number_row("--attempt", settings.attempt, 1, 1000000)});
  if (settings.ranks.empty()) throw Failure(ErrorCode::usage, "collect: --rank RANK=RANKDIR:WORKDIR is missing");
  for (auto& folders : settings.ranks) folders.stored = std::move(stored[folders.rank]);
  std::sort(settings.ranks.begin(), settings.ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return settings;
}

}  // namespace

int collect_command(const std::vector<std::string>& arguments) {
  const CollectSettings settings = parse(arguments);
  Collection collection(settings);
  while (collection.round()) {
    const double until = steady_seconds() + kTick;
    while (steady_seconds() < until && !stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (stop_requested()) {
      collection.stop();
      return 0;
    }
  }
  return 0;
}

}  // namespace ringlab
