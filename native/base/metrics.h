// The metrics file: JSON lines, append only, numbered across restarts (PROTOCOL.md, 'Metrics lines').
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/error.h"
#include "base/json.h"

namespace ringlab {

/// Unix seconds for lines: the wall clock at this process's start, or what RINGLAB_CLOCK and RINGLAB_CLOCK_ABOUT say (PROTOCOL.md, 'The time of lines'), and the time since,
/// also that in which the machine was suspended. A clock that is set meanwhile changes nothing.
double line_time();

/// Unix seconds of the machine's clock as it is now: to compare with what others have dated by it, files above all. It may jump.
double wall_time();

/// Processes that are started from now on date their lines by this one's clock: sets RINGLAB_CLOCK. Call it while there is one thread.
void pass_line_clock_on();

/// Appends lines to one file. Thread-safe; a line is one write(2). Without a path lines are dropped. Where the file cannot be written (a full disk), this is reported once on stderr,
/// training continues, and the lines are written with the next one that can be; of more than 4 MiB the newest are dropped.
class MetricsFile {
 public:
  MetricsFile() = default;
  /// Opens `path` for appending, creates it if missing, ends an incomplete last line and continues after the last complete
  /// line's `seq`, at RINGLAB_FIRST_SEQ or above it. Throws Failure (usage) if the file cannot be opened.
  explicit MetricsFile(const std::string& path);
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  /// One line: v, seq, t and kind, then `fields`.
  void write(const char* kind, const JsonObject& fields);

  /// A `warning` line, and the same text on stderr.
  void warn(const std::string& code, const std::string& message, const std::string& hint, const std::string& path = {});

  /// An `error` line for `failure` (without `step` if it is < 0), and the same text on stderr.
  void error(const Failure& failure, int64_t step);

  /// Returns once what was written is on the disk, as far as the disk works. Lines written meanwhile do not wait.
  void sync();

  int64_t next_seq() const { return seq_; }

 private:
  void write_pending();

  std::mutex mutex_;
  int fd_ = -1;
  int64_t seq_ = 0;
  bool torn_ = false;      ///< the file ends within a line of an earlier process
  std::string pending_;    ///< what is not in the file yet
  bool reported_ = false;  ///< a failed write has been reported
};

}  // namespace ringlab
