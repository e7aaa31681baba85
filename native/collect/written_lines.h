// What a rank's metrics.jsonl holds already, learned from its lines or from a snapshot of them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collect/records/json_reader.h"

namespace ringlab {

/// Where a record stands: a file (file_key) and the offset of the record's end.
struct Place {
  std::string file;
  uint64_t end = 0;
};

/// What a reader of a rank's lines says that it has.
struct StoredLines {
  int64_t first_number = 0;   ///< that it does not have
  std::vector<Place> places;
};

/// What is kept in memory of the lines: no more of each than its maximum, whatever they say. Not thread-safe.
class WrittenLines {
 public:
  struct Replayed {
    uint64_t end = 0;    ///< the file's size
    bool torn = false;   ///< its last line is incomplete
  };

  /// Learns from the lines of an open file, from `from` on.
  Replayed replay(int fd, uint64_t from);
  /// Learns from another rank's lines which records of files are written: where they are further than here.
  void replay_files(int fd);
  /// Learns from one line or a snapshot.
  void replay(const JsonValue& line);

  /// The end of the file's last record that was written; 0 if there is none.
  uint64_t end_of(const std::string& file) const;
  void note_place(const Place& place) { places_[place.file] = place.end; }
  /// The file has another content now: none of its records is written.
  void forget_place(const std::string& file) { places_.erase(file); }
  /// False where the run has its 1,000 names already.
  bool note_name(const std::string& name);
  bool has_file(const std::string& path, uint64_t bytes, double modified) const;
  /// False where the run has its 2,000 files already.
  bool has_room_for_file(const std::string& path) const;
  void note_file(const std::string& path, uint64_t bytes, double modified) { files_[path] = {bytes, modified}; }
  void note_gone(const std::string& path) { files_.erase(path); }
  std::vector<std::string> listed_files() const;
  /// False also where the run has its 100 problems already.
  bool is_new_problem(const std::string& file, const std::string& reason) const;
  void note_problem(const std::string& file, const std::string& reason);
  /// What a reader of these lines has, of which the disk may have lost the end: numbers go on behind it.
  void note_stored(const StoredLines& stored);
  int64_t next_number() const { return seq_; }
  void note_number() {
    ++seq_;
    at_end_ = false;
  }
  /// The last attempt whose end is written.
  int ended() const { return ended_; }
  /// Nothing was written since an end, or ever.
  bool at_end() const { return at_end_; }
  void note_end(int attempt) {
    ended_ = attempt;
    at_end_ = true;
  }
  double last_time() const { return last_time_; }

  /// A JSON object that replay() takes; `bytes`: the lines' size.
  std::string snapshot(uint64_t bytes) const;
  static uint64_t bytes_of(const JsonValue& snapshot);

 private:
  void replay_file(const JsonValue& line);

  int64_t seq_ = 0;
  int ended_ = 0;
  bool at_end_ = true;
  double last_time_ = 0;
  std::map<std::string, uint64_t> places_;
  std::set<std::string> names_;
  std::set<std::string> problems_;
  std::map<std::string, std::pair<uint64_t, double>> files_;
};

}  // namespace ringlab
