// The process of a rank, as its folder shows: since when, whether it has ended, and which files are its own.
#pragma once

#include <string>

namespace ringlab {

/// A rank's process of this attempt, or a later one, has left how it ended.
bool has_exit_file(const std::string& rank_folder, int attempt);

class RankProcess {
 public:
  RankProcess(std::string rank_folder, int attempt) : folder_(std::move(rank_folder)), attempt_(attempt) {}

  /// When it was started, by the machine's clock (wall_time()): `launch.sh` and `pid` are written then. Now, where neither is there.
  double started() const;
  /// exit.json of this attempt is there, or the process has been gone for half a minute. `now`: steady seconds.
  bool has_exited(double now);
  /// Is the pid in an event file's name that of this process, or of a child? `only_here`: of this machine, whose name is in it, too.
  bool wrote(const std::string& path, bool only_here) const;

 private:
  std::string folder_;
  int attempt_;
  double gone_since_ = 0;
};

}  // namespace ringlab
