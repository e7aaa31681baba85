// Follows everything that one rank's script writes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "collect/progress_report.h"
#include "collect/rank_lines.h"
#include "collect/rank_process.h"
#include "collect/rank_sources.h"
#include "collect/work_folder.h"

namespace ringlab {

struct RankFolders {
  int rank = 0;
  std::string rank_folder;  ///< log.txt, exit.json, metrics.jsonl
  std::string work_folder;  ///< the script's
  StoredLines stored{};
};

/// Rate limits while a script runs; at its end everything is read.
struct CollectLimits {
  double printed_lines = 2000;      ///< a second; of more, the newest are kept
  double structured_lines = 5000;   ///< a second; more is read later
  uint64_t log_behind = uint64_t{32} << 20;         ///< bytes of log.txt that may wait before a part is skipped
  uint64_t log_behind_at_end = uint64_t{1} << 30;   ///< the same when nothing follows
  double cores = 0.6;                               ///< for what is printed
};

class RankCollector {
 public:
  /// Continues where a collector before it ended: collect.json in the rank's folder, and the lines there. Throws Failure (usage).
  RankCollector(RankFolders folders, int attempt, std::shared_ptr<const UserPatterns> patterns, const CollectLimits& limits);
  ~RankCollector();

  /// Reads what is new, within the limits of `seconds` since the last call. True if something is left to read.
  bool read(double seconds, bool last);
  /// The next read synchronises what it reads, however long that took before.
  void sync_next() {
    for (const auto& source : sources_.list()) source->next_sync = 0;
  }
  /// A file that was found below the working folder. `last`: nothing will change it any more.
  void take(const SeenFile& file, bool last);
  bool has(const SeenFile& file) const;
  /// Says which of the listed files the script has removed since.
  void look_for_gone() { changed_ = lines_->files_gone(folders_.work_folder) || changed_; }
  /// Goes on with files of another rank, whose folder this is, where that one's lines end.
  void go_on_from(const std::string& rank_folder) { lines_->go_on_from(rank_folder + "/metrics.jsonl"); }
  /// Shows collectors of other nodes that this one lives: FileClaims.
  void show_life() const;
  const RankProcess& process() const { return process_; }
  bool has_exited(double now) { return process_.has_exited(now); }
  /// Writes collect_end, once a start of the rank.
  void finish();
  /// False again where the rank was started again in the same attempt, as a requeued job does.
  bool finished() const { return finished_; }
  /// Writes collect.json where something has changed, every ten seconds; `always`: now.
  void save(bool always, double now);
  void say_crowded();
  void say_unread();

  /// When the run began: by the machine's clock as it was then, which dates files, and as line_time().
  RunBegin began() const { return began_; }
  const RankFolders& folders() const { return folders_; }

 private:
  bool read_printed(Source& source, bool last);
  bool read_structured(Source& source, bool last);
  bool read_on(Source& source, bool last);
  void merge(Source& source);
  bool write_found(Source& source, double& budget);
  bool take_saved(const std::string& given);
  bool begin_start(double attempt);

  RankFolders folders_;
  int attempt_;
  RankProcess process_;
  CollectLimits limits_;
  std::unique_ptr<RankLines> lines_;
  RankSources sources_;
  size_t next_ = 0;  ///< the source that is read first: none waits forever
  RunBegin began_;
  double printed_budget_ = 0;
  double structured_budget_ = 0;
  double cpu_budget_ = 0;
  uint64_t skipped_lines_ = 0;
  uint64_t skipped_bytes_ = 0;
  double saved_ = 0;
  bool changed_ = false;
  bool finished_ = false;
  bool began_here_ = false;  ///< a start of this attempt has been read
  bool knows_start_ = false;  ///< the end of the start before was there when this collector began
  ProgressReport progress_;
  int lock_ = -1;
};

}  // namespace ringlab
