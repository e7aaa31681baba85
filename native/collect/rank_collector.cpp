#include "collect/rank_collector.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file_text.h"
#include "base/json.h"
#include "base/metrics.h"
#include "collect/file_times.h"

namespace ringlab {
namespace {

constexpr double kLockTime = 10;   ///< seconds
constexpr double kSaveEvery = 10;  ///< seconds
constexpr uint64_t kKeptOfLog = uint64_t{1} << 20;
constexpr double kBurst = 2;  ///< seconds of a rate that may come at once

std::string without_folder(const std::string& path, const std::string& folder) { return path.rfind(folder + "/", 0) == 0 ? path.substr(folder.size() + 1) : path; }

/// The same, also where one of them is reached through a link, as a home often is: a script sees its folder by the real name.
std::string below_folder(const std::string& path, const std::string& folder) {
  std::string below = without_folder(path, folder);
  if (below.empty() || below.front() != '/') return below;
  const std::filesystem::path file(path);
  std::error_code error;
  const auto real_parent = std::filesystem::canonical(file.parent_path(), error);
  if (error) return below;
  const auto real_folder = std::filesystem::canonical(folder, error);
  if (error) return below;
  return without_folder((real_parent / file.filename()).string(), real_folder.string());
}

std::string path_of(const SeenFile& file, const std::string& folder) { return file.path.front() == '/' ? file.path : folder + "/" + file.path; }

}  // namespace

RankCollector::RankCollector(RankFolders folders, int attempt, std::shared_ptr<const UserPatterns> patterns, const CollectLimits& limits)
    : folders_(std::move(folders)), attempt_(attempt), process_(folders_.rank_folder, attempt), limits_(limits), sources_(patterns), printed_budget_(limits.printed_lines * kBurst) {
  const std::string& folder = folders_.rank_folder;
  lock_ = open((folder + "/collect.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) throw Failure(ErrorCode::usage, "collect: " + folder + ": " + std::strerror(errno), "give a rank's folder that exists and can be written");
  // One that was asked to stop may still be reading.
  for (const double until = steady_seconds() + kLockTime; flock(lock_, LOCK_EX | LOCK_NB) != 0 && steady_seconds() < until;) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) throw Failure(ErrorCode::usage, "collect: " + folder + ": another collector follows this rank");
  const std::string text = file_text(folder + "/collect.json");
  const auto snapshot = read_json(text);
  const bool usable = snapshot && snapshot->find("lines") != nullptr;
  lines_ = std::make_unique<RankLines>(folder + "/metrics.jsonl", usable ? snapshot->find("lines") : nullptr);
  lines_->note_stored(folders_.stored);
  const bool ended = lines_->has_ended(attempt_) && lines_->at_end();
  finished_ = ended && has_exit_file(folder, attempt_);
  knows_start_ = ended && !finished_;
  began_.wall = process_.started();
  if (usable) {
    if (const JsonValue* since = snapshot->find("since"); since != nullptr && since->number > 0) began_.wall = since->number;
    if (const JsonValue* began = snapshot->find("began"); began != nullptr && began->number > 0) began_.line = began->number;
    const JsonValue* of = snapshot->find("attempt");
    const JsonValue* starts = snapshot->find("started");
    began_here_ = of != nullptr && of->number == attempt_ && starts != nullptr && starts->number > 0;
    sources_.restore(*snapshot, attempt_);
  }
  if (knows_start_) sources_.begin_start();
  if (began_.line == 0) began_.line = began_.wall - (wall_time() - line_time());
  for (const auto& problem : patterns->problems) lines_->problem("patterns", problem);
  sources_.add(SourceKind::printed, folder + "/log.txt", "log.txt");
  sources_.add(SourceKind::package, folder + "/ringlab.jsonl", "ringlab.jsonl");
}

RankCollector::~RankCollector() {
  if (lock_ >= 0) close(lock_);
}

void RankCollector::show_life() const { futimens(lock_, nullptr); }

void RankCollector::save(bool always, double now) {
  if (!always && (!changed_ || now - saved_ < kSaveEvery)) return;
  JsonObject snapshot;
  snapshot.add("v", 1).add("attempt", attempt_).add("started", began_here_ ? 1 : 0).add("since", began_.wall).add("began", began_.line);
  if (!sources_.add_to(snapshot, attempt_)) return;
  snapshot.add_raw("lines", lines_->snapshot());
  const std::string text = snapshot.str() + "\n";
  saved_ = now;
  try {
    AtomicFile file(folders_.rank_folder + "/collect.json", text.size());
    file.write(text.data(), text.size());
    file.commit();
    changed_ = false;
  } catch (const Failure&) {
    // Without it a restart reads more: nothing is lost.
  }
}

bool RankCollector::has(const SeenFile& file) const {
  if (file.kind == FileKind::checkpoint) return lines_->has_file(file.path, file.bytes, file.modified);
  return sources_.has(path_of(file, folders_.work_folder));
}

void RankCollector::take(const SeenFile& file, bool last) {
  if (file.kind == FileKind::checkpoint) {
    if (file.settled || last) changed_ = lines_->file(file.path, file.bytes, file.modified) || changed_;
    return;
  }
  if (has(file)) return;
  if (sources_.is_full()) {
    lines_->problem("", "more than 5,000 files of metrics: further ones are not read");
    return;
  }
  const SourceKind kind = file.kind == FileKind::wandb ? SourceKind::wandb : file.kind == FileKind::output ? SourceKind::json : SourceKind::events;
  sources_.add(kind, path_of(file, folders_.work_folder), file.path);
}

bool RankCollector::read(double seconds, bool last) {
  const double now = line_time();
  constexpr double kAtTheEnd = 60;
  cpu_budget_ = std::min(cpu_budget_ + limits_.cores * seconds, limits_.cores * kBurst);
  printed_budget_ = last ? limits_.printed_lines * kAtTheEnd : std::min(printed_budget_ + limits_.printed_lines * seconds, limits_.printed_lines * kBurst);
  structured_budget_ = last ? limits_.structured_lines * kAtTheEnd : std::min(structured_budget_ + limits_.structured_lines * seconds, limits_.structured_lines * kBurst);
  bool left = false;
  const auto& sources = sources_.list();
  for (size_t i = 0; i < sources.size(); ++i) {
    Source& source = *sources[(next_ + i) % sources.size()];
    if (source.kind == SourceKind::printed) {
      left = read_printed(source, last) || left;
    } else {
      left = read_structured(source, last) || left;
    }
  }
  if (!sources.empty()) next_ = (next_ + 1) % sources.size();
  for (const auto& source : sources) {
    if (const ScriptProgress* progress = source->reader->progress()) progress_.say(*progress, now, last, *lines_);
  }
  return left;
}

/// What a script prints cannot wait: of more lines than the limit the newest are kept.
bool RankCollector::read_printed(Source& source, bool last) {
  // Processor time: on a busy machine the wall's clock says nothing about the work that was done.
  const double until = cpu_seconds() + cpu_budget_;
  struct stat info {};
  const bool there = stat(source.path.c_str(), &info) == 0;
  const auto size = static_cast<uint64_t>(info.st_size);
  if (there && size > source.done && size - source.done > (last ? limits_.log_behind_at_end : limits_.log_behind)) {
    skipped_bytes_ += size - kKeptOfLog - source.done;
    source.done = size - kKeptOfLog;
    lines_->problem(source.shown, "the script prints faster than its output can be read: parts were skipped");
  }
  bool more = true;
  while (more && (last || cpu_seconds() < until)) {
    more = read_on(source, last);
    changed_ = changed_ || more;
    merge(source);
    const auto max_waiting = static_cast<size_t>(std::max(printed_budget_, 0.0));
    while (source.waiting.size() > max_waiting) {
      if (source.waiting.front().end > lines_->written(source.key)) {
        ++skipped_lines_;
        lines_->problem(source.shown, "the script prints more than 2,000 lines with values a second: the newest are kept");
      }
      source.waiting.pop_front();
    }
  }
  cpu_budget_ = std::max(until - cpu_seconds(), 0.0);
  return write_found(source, printed_budget_) || more;
}

bool RankCollector::read_structured(Source& source, bool last) {
  while (structured_budget_ > 0 || source.waiting.empty()) {
    if (!write_found(source, structured_budget_)) {
      if (structured_budget_ <= 0) return true;
      if (!read_on(source, last)) return false;
      changed_ = true;
      merge(source);
    } else {
      return true;
    }
  }
  return true;
}

/// A file that was written anew has its name and its inode as before: records of its content before do not count, also where it was
/// written anew while nobody read it.
bool RankCollector::read_on(Source& source, bool last) {
  const bool more = read_next(source, last);
  if (source.began_again || lines_->written(source.key) > source.size) lines_->forget_place(source.key);
  source.began_again = false;
  return more;
}

/// Records of the same step become one line; those that were written before a restart are dropped first.
void RankCollector::merge(Source& source) {
  auto& waiting = source.waiting;
  const uint64_t written = lines_->written(source.key);
  while (!waiting.empty() && waiting.front().end <= written) waiting.pop_front();
  std::deque<Found> merged;
  for (auto& one : waiting) {
    const bool fits = !merged.empty() && one.kind == Found::Kind::scalars && merged.back().kind == Found::Kind::scalars && one.step && one.step == merged.back().step && one.epoch == merged.back().epoch &&
                      merged.back().values.size() < 100 && one.values.size() == 1 &&
                      std::none_of(merged.back().values.begin(), merged.back().values.end(), [&](const auto& value) { return value.first == one.values.front().first; });
    if (fits) {
      merged.back().values.push_back(std::move(one.values.front()));
      merged.back().end = one.end;
    } else {
      merged.push_back(std::move(one));
    }
  }
  waiting = std::move(merged);
}

/// True if something waits still: the budget is spent, or the disk is full.
bool RankCollector::write_found(Source& source, double& budget) {
  const double now = line_time();
  while (!source.waiting.empty()) {
    if (budget < 1) return true;
    Found& found = source.waiting.front();
    const Place place{source.key, found.end};
    // A clock that a record brings is used where it is of this run.
    if (found.time < began_.line - 1 || found.time > now + 1) found.time = 0;
    bool written = false;
    switch (found.kind) {
      case Found::Kind::scalars:
        for (auto& [name, value] : found.values) name.insert(0, source.prefix);
        written = lines_->scalars(from_word(source.kind), place, found);
        if (!written) {
          for (auto& [name, value] : found.values) name.erase(0, source.prefix.size());
        }
        budget -= 1;
        break;
      case Found::Kind::config: written = lines_->config(place, found); break;
      case Found::Kind::histogram:
      case Found::Kind::picture: {
        Found shown = found;
        shown.values.front().first.insert(0, source.prefix);
        written = lines_->medium(place, shown, found.kind == Found::Kind::picture ? source.shown : "");
        budget -= 1;
        break;
      }
      case Found::Kind::waiting: written = lines_->collectives(place, found); break;
      case Found::Kind::profile: written = lines_->profile(place, found); break;
      case Found::Kind::saved: written = take_saved(found.text); break;
      case Found::Kind::start: written = begin_start(*found.step); break;
      case Found::Kind::problem: written = lines_->problem(source.shown, found.text); break;
    }
    if (!written) return true;
    source.waiting.pop_front();
  }
  return false;
}

/// A file that the script names. Returns false where the line could not be written.
bool RankCollector::take_saved(const std::string& given) {
  const std::string path = below_folder(given, folders_.work_folder);
  const bool outside = path.empty() || path.front() == '/' || path == ".." || path.rfind("../", 0) == 0 || path.find("/../") != std::string::npos;
  if (outside) return lines_->problem(clean_name(given), "a saved file is not below the working folder");
  struct stat info {};
  if (lstat((folders_.work_folder + "/" + path).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return lines_->problem(clean_name(given), "a saved file is not there");
  return lines_->file(path, static_cast<uint64_t>(info.st_size), seconds_of(info.st_mtim));
}

/// A collector that was lost with its node wrote no end: what follows would be of the same start. Anybody can print the mark.
bool RankCollector::begin_start(double attempt) {
  if (attempt != attempt_) return true;
  // The run's first start is not marked.
  const bool again = began_here_ || attempt_ == 1;
  const bool ended = again ? knows_start_ || lines_->at_end() : lines_->has_ended(attempt_ - 1);
  if (!ended && !lines_->end(again ? attempt_ : attempt_ - 1, JsonObject().add("lines", 0).add("bytes", 0).add("no_numbers", 0).str())) return false;
  if (again && !knows_start_) sources_.begin_start();
  knows_start_ = false;
  began_here_ = true;
  return true;
}

void RankCollector::say_crowded() { lines_->problem("", "the working folder has more than 4,000 folders or 20,000 files of metrics and checkpoints: not all are looked at"); }

void RankCollector::say_unread() { lines_->problem("", "the script wrote more than could be read within two minutes of its end: the rest is not shown"); }

void RankCollector::finish() {
  if (finished_) return;
  uint64_t others = 0;
  for (const auto& source : sources_.list()) others += source->reader->others();
  finished_ = lines_->end(attempt_, JsonObject().add("lines", skipped_lines_).add("bytes", skipped_bytes_).add("no_numbers", others).str());
  changed_ = true;
}

}  // namespace ringlab
