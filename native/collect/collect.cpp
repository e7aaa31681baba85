#include "collect/collect.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string_view>
#include <thread>

#include "base/arguments.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file_text.h"
#include "base/metrics.h"
#include "base/numbers.h"
#include "base/stop_signal.h"
#include "collect/rank_collector.h"
#include "collect/work_folder.h"

namespace ringlab {
namespace {

constexpr double kTick = 0.2;        ///< seconds between two looks at the sizes of files
constexpr double kLookEvery = 0.4;   ///< seconds between two looks for new files
constexpr double kDrainTime = 120;   ///< seconds for what is left when a rank has ended
constexpr double kDrainAtStop = 5;
constexpr int kMaxRank = 99999;

struct Settings {
  std::vector<RankFolders> ranks;
  std::vector<std::string> outputs;
  std::string patterns;
  int attempt = 1;
};

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

Settings parse(const std::vector<std::string>& arguments) {
  Settings settings;
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

/// All ranks of a node. Ranks may share a working folder: a file there belongs to the rank whose process wrote it, where the file's name
/// says so, else to the lowest.
class Collection {
 public:
  explicit Collection(const Settings& settings) {
    auto patterns = std::make_shared<UserPatterns>();
    if (!settings.patterns.empty()) *patterns = read_user_patterns(file_text(settings.patterns));
    for (const auto& folders : settings.ranks) {
      CollectLimits limits;
      limits.cores /= static_cast<double>(settings.ranks.size());
      const bool first = std::none_of(ranks_.begin(), ranks_.end(), [&](const auto& rank) { return rank->folders().work_folder == folders.work_folder; });
      ranks_.push_back(std::make_unique<RankCollector>(folders, settings.attempt, first ? settings.outputs : std::vector<std::string>(), patterns, limits));
      if (first) folders_.emplace(folders.work_folder, WorkFolder(folders.work_folder, ranks_.back()->since()));
    }
  }

  /// One round. False when all ranks have ended and everything has been read.
  bool round() {
    const double now = steady_seconds();
    const double seconds = std::min(now - before_, 1.0);
    before_ = now;
    std::vector<RankCollector*> ended;
    bool live = false;
    // Looked at before the files: what is written before the end is seen.
    for (const auto& rank : ranks_) {
      if (rank->finished()) continue;
      if (rank->has_exited(now)) {
        ended.push_back(rank.get());
      } else {
        live = true;
      }
    }
    if (now - looked_ >= kLookEvery || !ended.empty()) look(!ended.empty());
    for (const auto& rank : ranks_) {
      const bool last = std::find(ended.begin(), ended.end(), rank.get()) != ended.end();
      if (rank->finished()) continue;
      if (last) {
        drain(*rank);
      } else {
        rank->read(seconds, false);
      }
      rank->save(last, now);
    }
    return live;
  }

  /// At a stop: reads what each file holds, and stores the offset of its end.
  void stop() {
    const double until = steady_seconds() + kDrainAtStop;
    look(false);
    for (const auto& rank : ranks_) {
      if (rank->finished()) continue;
      while (rank->read(1, false) && steady_seconds() < until) {
      }
      rank->save(true, steady_seconds());
    }
  }

 private:
  static void drain(RankCollector& rank) {
    const double until = steady_seconds() + kDrainTime;
    bool left = true;
    while (true) {
      left = rank.read(1, true);
      if (!left || steady_seconds() > until) break;
      if (stop_requested()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (left) rank.say_unread();
    rank.finish();
  }

  void look(bool last) {
    looked_ = steady_seconds();
    for (auto& [path, folder] : folders_) {
      for (const auto& file : folder.look()) {
        RankCollector& owner = owner_of(path, file);
        if (!owner.finished()) owner.take(file, last);
      }
      if (folder.is_crowded()) owner_of(path, {}).say_crowded();
    }
  }

  RankCollector& owner_of(const std::string& work_folder, const SeenFile& file) {
    RankCollector* lowest = nullptr;
    for (const auto& rank : ranks_) {
      if (rank->folders().work_folder != work_folder) continue;
      if (lowest == nullptr || lowest->finished()) lowest = rank.get();
      if (rank->has(file)) return *rank;
    }
    for (const auto& rank : ranks_) {
      const bool may = file.kind == FileKind::events && !rank->finished() && rank.get() != lowest;
      if (may && rank->folders().work_folder == work_folder && rank->process().wrote(file.path)) return *rank;
    }
    return *lowest;
  }

  std::vector<std::unique_ptr<RankCollector>> ranks_;
  std::map<std::string, WorkFolder> folders_;
  double before_ = steady_seconds();
  double looked_ = 0;
};

}  // namespace

int collect_command(const std::vector<std::string>& arguments) {
  const Settings settings = parse(arguments);
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
