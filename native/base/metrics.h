// The metrics file: JSON lines, append only, numbered across restarts (PROTOCOL.md, 'Metrics lines').
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/error.h"
#include "base/json.h"

namespace ringlab {

/// Unix seconds with fraction.
double unix_time();

/// Appends lines to one file. Safe to use from several threads; every line leaves with one write(2).
/// Without a path it takes lines and drops them. A file that can no longer be written (disk full) is
/// reported once on stderr and does not stop the training: its lines are an account, not the work.
class MetricsFile {
 public:
  MetricsFile() = default;
  /// Opens `path` for appending, creates it where it is missing, ends an incomplete last line and continues after the last
  /// whole line's `seq`. Throws Failure (usage) where the file cannot be opened.
  explicit MetricsFile(const std::string& path);
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  /// One line: v, seq, t and kind are put in front of `fields`.
  void write(const char* kind, const JsonObject& fields);

  /// A `warning` line, and the same words on stderr.
  void warn(const std::string& code, const std::string& message, const std::string& hint, const std::string& path = {});

  /// An `error` line for `failure` (`step` < 0: left out), and the same words on stderr.
  void error(const Failure& failure, int64_t step);

  int64_t next_seq() const { return seq_; }

 private:
  std::mutex mutex_;
  int fd_ = -1;
  int64_t seq_ = 0;
  bool torn_ = false;      ///< the last write was short: the next line starts with a line end
  bool reported_ = false;  ///< a failed write has been reported
};

}  // namespace ringlab
