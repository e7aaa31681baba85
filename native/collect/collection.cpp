#include "collect/collection.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/file_text.h"
#include "base/stop_signal.h"
#include "collect/file_times.h"

namespace ringlab {
namespace {

constexpr double kLookEvery = 0.4;     ///< seconds between two looks for new files
constexpr double kShowLifeEvery = 5;   ///< seconds
constexpr double kDrainTime = 120;     ///< seconds for what is left when a rank has ended
constexpr double kDrainAtStop = 5;
constexpr double kLeftToWriter = 3;    ///< seconds in which another node's collector may claim an event file of its ranks
constexpr double kLeftToLowest = 30;   ///< seconds in which the collector of the lowest rank may claim a file
constexpr double kLookAtOthers = 10;   ///< seconds between two looks whether another rank's collector is gone

/// A file that the user names is another one on each node, where it is not below the working folder.
bool is_absolute(const SeenFile& file) { return file.path.front() == '/'; }

}  // namespace

Collection::Collection(const CollectSettings& settings) : before_(steady_seconds()) {
  auto patterns = std::make_shared<UserPatterns>();
  if (!settings.patterns.empty()) *patterns = read_user_patterns(file_text(settings.patterns));
  std::vector<int> own;
  for (const auto& folders : settings.ranks) own.push_back(folders.rank);
  for (const auto& folders : settings.ranks) {
    CollectLimits limits;
    limits.cores /= static_cast<double>(settings.ranks.size());
    ranks_.push_back(std::make_unique<RankCollector>(folders, settings.attempt, patterns, limits));
    if (folders_.count(folders.work_folder) > 0) continue;
    const std::string& folder = folders.rank_folder;
    const size_t slash = folder.rfind('/');
    const std::string run_folder = slash == std::string::npos ? "." : folder.substr(0, slash);
    Shared shared(WorkFolder(folders.work_folder, ranks_.back()->began()), FileClaims(run_folder, own, settings.attempt));
    shared.outputs = settings.outputs;
    folders_.emplace(folders.work_folder, std::move(shared));
  }
}

bool Collection::round() {
  const double now = steady_seconds();
  const double seconds = std::min(now - before_, 1.0);
  before_ = now;
  if (now - shown_ >= kShowLifeEvery) {
    shown_ = now;
    for (const auto& rank : ranks_) rank->show_life();
  }
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
  if (now - looked_ >= kLookEvery || !ended.empty()) look(!ended.empty(), !live);
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

void Collection::stop() {
  const double until = steady_seconds() + kDrainAtStop;
  look(false, false);
  for (const auto& rank : ranks_) {
    if (rank->finished()) continue;
    rank->sync_next();
    while (rank->read(1, false) && steady_seconds() < until) {
    }
    rank->save(true, steady_seconds());
  }
}

void Collection::drain(RankCollector& rank) {
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

/// `all`: the last look, after which nobody here waits for another node.
void Collection::look(bool last, bool all) {
  looked_ = steady_seconds();
  for (auto& [path, shared] : folders_) {
    for (const auto& file : shared.folder.look()) {
      const auto [at, is_new] = shared.waiting.try_emplace(file.path, Waiting{file, looked_, 0});
      if (!is_new) at->second.file = file;
    }
    look_for_outputs(shared);
    // Upper folders first: the first event file's folder is the one that the others are named from.
    std::vector<Waiting*> waiting;
    for (auto& [name, one] : shared.waiting) {
      if (one.next <= looked_ || all) waiting.push_back(&one);
    }
    const auto depth = [](const Waiting* one) { return std::count(one->file.path.begin(), one->file.path.end(), '/'); };
    std::stable_sort(waiting.begin(), waiting.end(), [&](const Waiting* a, const Waiting* b) { return depth(a) < depth(b); });
    for (Waiting* one : waiting) {
      if (settle(shared, *one, last, all)) shared.waiting.erase(std::string(one->file.path));
    }
    for (const auto& one : ranks_) {
      if (!one->finished() && one->folders().work_folder == path) one->look_for_gone();
    }
    RankCollector* rank = lowest(path);
    if (rank != nullptr && shared.folder.is_crowded()) rank->say_crowded();
  }
}

void Collection::look_for_outputs(Shared& shared) {
  auto& outputs = shared.outputs;
  const auto is_there = [&](const std::string& output) {
    SeenFile file{output, FileKind::output};
    struct stat info {};
    const std::string path = is_absolute(file) ? output : shared.folder.root() + "/" + output;
    if (stat(path.c_str(), &info) != 0) return false;
    const double now = steady_seconds();
    shared.waiting.try_emplace(output, Waiting{std::move(file), now, 0});
    return true;
  };
  outputs.erase(std::remove_if(outputs.begin(), outputs.end(), is_there), outputs.end());
}

/// True where the file needs no further look until it changes.
bool Collection::settle(Shared& shared, Waiting& waiting, bool last, bool all) {
  SeenFile& file = waiting.file;
  FileClaims& claims = shared.claims;
  const double now = steady_seconds();
  RankCollector* lowest_here = lowest(shared.folder.root());
  if (lowest_here == nullptr) return true;
  // One that is still being written is reported again when it is at rest.
  if (file.kind == FileKind::checkpoint && !file.settled && !last) return true;
  const auto held = is_absolute(file) ? std::nullopt : claims.newest(file.path);
  if (held) {
    RankCollector* holder = by_number(held->rank);
    if (holder != nullptr && (!holder->finished() || holder->has(file))) {
      if (holder->finished()) return true;
      // After a restart without its snapshot its lines alone do not say where it took over.
      if (held->number > 0 && !holder->has(file)) holder->go_on_from(claims.folder_before(file.path, *held));
      holder->take(file, last);
      return true;
    }
    if (file.kind == FileKind::output) file.modified = changed_at(shared.folder.root() + "/" + file.path);
    if (holder == nullptr && !claims.is_over(held->rank, file.modified)) {
      waiting.next = now + kLookAtOthers;
      return false;
    }
  }
  const bool others = claims.others_run(FileClaims::kAllRanks);
  RankCollector* writer = writer_of(shared, file, others);
  RankCollector& taker = writer != nullptr ? *writer : *lowest_here;
  const bool yields = writer == nullptr && !held && !is_absolute(file) && !all;
  const double wait = !yields ? 0 : claims.others_run(taker.folders().rank) ? kLeftToLowest : others && file.kind == FileKind::events ? kLeftToWriter : 0;
  if (now - waiting.since < wait) return false;
  if (!is_absolute(file)) {
    const FileClaims::Claim claim{taker.folders().rank, held ? held->number + 1 : 0};
    if (!claims.claim(file.path, claim)) return false;
    if (held) taker.go_on_from(claims.rank_folder(held->rank));
  }
  taker.take(file, last);
  return true;
}

/// The rank that has the file already, or whose process wrote it: an event file's name says so.
RankCollector* Collection::writer_of(Shared& shared, const SeenFile& file, bool others) {
  RankCollector* lowest_here = lowest(shared.folder.root());
  const auto is_here = [&](const auto& rank) { return rank->folders().work_folder == shared.folder.root() && !rank->finished(); };
  for (const auto& rank : ranks_) {
    if (is_here(rank) && rank->has(file)) return rank.get();
  }
  if (file.kind != FileKind::events) return nullptr;
  for (const auto& rank : ranks_) {
    // Without another rank to choose from nothing needs to be asked.
    const bool chosen = rank.get() == lowest_here && !others;
    if (is_here(rank) && !chosen && rank->process().wrote(file.path, others)) return rank.get();
  }
  return nullptr;
}

RankCollector* Collection::by_number(int rank) {
  const auto found = std::find_if(ranks_.begin(), ranks_.end(), [&](const auto& one) { return one->folders().rank == rank; });
  return found == ranks_.end() ? nullptr : found->get();
}

RankCollector* Collection::lowest(const std::string& work_folder) {
  const auto found = std::find_if(ranks_.begin(), ranks_.end(), [&](const auto& one) { return one->folders().work_folder == work_folder && !one->finished(); });
  return found == ranks_.end() ? nullptr : found->get();
}

}  // namespace ringlab
