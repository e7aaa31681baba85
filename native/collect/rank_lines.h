// Appends a rank's collected lines to its metrics.jsonl, each once, across restarts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "collect/records/json_reader.h"
#include "collect/records/reader.h"
#include "collect/written_lines.h"

namespace ringlab {

/// Every line that a record became says its place, so that what was written before a crash is known from the lines themselves. Not
/// thread-safe.
class RankLines {
 public:
  /// Opens the file and reads its lines, with `snapshot` those behind what it says. Throws Failure (usage) where it cannot be opened.
  RankLines(const std::string& path, const JsonValue* snapshot);
  ~RankLines();
  RankLines(const RankLines&) = delete;
  RankLines& operator=(const RankLines&) = delete;

  /// False where the disk took nothing: the caller tries again later. A record that is there already is not written again.
  bool scalars(const char* from, const Place& place, const Found& record);
  bool config(const Place& place, const Found& record);
  bool collectives(const Place& place, const Found& record);
  bool profile(const Place& place, const Found& record);
  /// `file`: in which its bytes are, "" for a histogram.
  bool medium(const Place& place, const Found& record, const std::string& file);
  bool file(const std::string& path, uint64_t bytes, double modified);
  /// Says of listed files that are no longer below `folder` that they are gone. True where there are any.
  bool files_gone(const std::string& folder);
  bool has_file(const std::string& path, uint64_t bytes, double modified) const { return written_.has_file(path, bytes, modified); }
  bool progress(const ScriptProgress& progress);
  /// Once for each file and reason.
  bool problem(const std::string& file, const std::string& reason);
  bool end(int attempt, const std::string& counts);
  void note_stored(const StoredLines& stored) { written_.note_stored(stored); }
  /// What another rank's metrics.jsonl says about files is not written again: this one goes on with them.
  void go_on_from(const std::string& path);

  /// The end of the file's last record that was written; 0 if there is none.
  uint64_t written(const std::string& file) const { return written_.end_of(file); }
  void forget_place(const std::string& file) { written_.forget_place(file); }
  bool has_ended(int attempt) const { return written_.ended() >= attempt; }
  /// Nothing was written since an end, or ever.
  bool at_end() const { return written_.at_end(); }
  /// The lines' size and what continues them, as members of a snapshot.
  std::string snapshot() const { return written_.snapshot(size_); }
  double last_time() const { return written_.last_time(); }
  uint64_t scalar_lines() const { return scalar_lines_; }

 private:
  bool object(const char* kind, const char* name, const Place& place, const Found& record);
  bool write(const char* kind, const std::string& fields, double time = 0);
  bool name_of(const std::string& given, std::string& name);

  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
  bool torn_ = false;
  bool reported_ = false;
  uint64_t scalar_lines_ = 0;
  WrittenLines written_;
  uint64_t refused_names_ = 0;
};

/// A name for a chart: control characters removed, at most 180 characters, valid UTF-8; "" if nothing is left.
std::string clean_name(std::string_view name);

}  // namespace ringlab
