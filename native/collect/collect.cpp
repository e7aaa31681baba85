#include "collect/collect.h"

#include <algorithm>
#include <chrono>
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

CollectSettings parse(const std::vector<std::string>& arguments) {
  CollectSettings settings;
  parse_arguments("collect", arguments,
                  {{"--rank", true, [&](const std::string& given, const std::string& value) { settings.ranks.push_back(rank_of(given, value)); }},
                   {"--output", true,
                    [&](const std::string& given, const std::string& value) {
                      if (value.empty()) throw Failure(ErrorCode::usage, given + ": no file");
                      settings.outputs.push_back(value);
                    }},
                   text_row("--patterns", settings.patterns),
                   number_row("--attempt", settings.attempt, 1, 1000000)});
  if (settings.ranks.empty()) throw Failure(ErrorCode::usage, "collect: --rank RANK=RANKDIR:WORKDIR is missing");
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
