// What a rank's trainer wrote to its metrics file in one attempt, read while the file grows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"

namespace ringlab {

class AttemptLines {
 public:
  /// Lines that are written from now on.
  explicit AttemptLines(std::string path);

  /// Reads what is new. A file that cannot be read has nothing new.
  void read();
  /// Has the trainer written its `start` line? The ranks have met then.
  bool started() const { return started_; }
  /// How many ranks together have saved a checkpoint at most; 0: it has written none.
  int64_t saved_by() const { return saved_by_; }
  const std::string& error() const { return error_; }
  const std::string& message() const { return message_; }
  /// For a `restart` line: `step` (completed), `from_step` (of the newest checkpoint; `from` where another rank has it), and if a step was taken that is not in it
  /// `trained_from` and `trained_to`, Unix seconds: when the work began that is not in a checkpoint, and when the last step ended.
  JsonObject reached(std::optional<int64_t> from = std::nullopt) const;

 private:
  void take(const std::string& line);

  std::string path_;
  uint64_t offset_ = 0;
  std::string rest_;
  std::string last_step_;
  bool started_ = false;
  int64_t saved_by_ = 0;
  std::string error_;
  std::string message_;
  double start_step_ = 0;
  double began_ = 0;
  std::optional<std::pair<double, double>> saved_;  ///< of the newest whole checkpoint: its step, and when it was copied
};

}  // namespace ringlab
