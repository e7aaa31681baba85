// The trainer of one rank as a child process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "supervise/rank_end.h"

namespace ringlab {

/// A secret in an anonymous file in memory that child processes inherit: nothing of it is on a disk or in an argument.
class SecretInMemory {
 public:
  /// Throws Failure (internal).
  explicit SecretInMemory(const std::string& text);
  ~SecretInMemory();
  SecretInMemory(const SecretInMemory&) = delete;
  SecretInMemory& operator=(const SecretInMemory&) = delete;
  /// For a child: --secret-file.
  std::string path() const;

 private:
  int fd_;
};

class TrainerProcess {
 public:
  /// Starts this program with these arguments, with this process's folder, console and environment. The child is killed by the kernel if
  /// this process ends first. Throws Failure (internal). Call it from the main thread: the kernel's promise is bound to the thread.
  explicit TrainerProcess(const std::vector<std::string>& arguments);
  /// Kills the child if it still runs, and waits for it.
  ~TrainerProcess();
  TrainerProcess(const TrainerProcess&) = delete;
  TrainerProcess& operator=(const TrainerProcess&) = delete;

  /// Has it ended? Does not wait.
  bool ended();
  /// `number`, also to a stopped process.
  void signal(int number);
  /// Kills it because the others have lost it.
  void give_up();
  /// After ended(): without error and message.
  RankEnd end() const;

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  bool given_up_ = false;
  int64_t kills_before_ = 0;
};

/// Ends this process as the trainer ended: with its exit code, or by its signal.
[[noreturn]] void end_like(const RankEnd& end);

}  // namespace ringlab
