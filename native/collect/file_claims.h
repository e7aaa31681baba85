// Claims on files that the collectors of several nodes can read, where the nodes share one home directory: one rank reads each file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringlab {

/// A claim is a symbolic link beside the ranks' folders, in `claims/`: its name is a hash of the file's path and a number, its target the
/// rank. Only one of several machines can make a link of one name, on NFS too. The highest number counts: where a rank's collection is over,
/// another rank makes the next one.
class FileClaims {
 public:
  struct Claim {
    int rank = 0;
    int number = 0;
  };

  /// `run_folder` has the ranks' folders: `own`, this node's, and those of other nodes where they have the same home.
  FileClaims(std::string run_folder, std::vector<int> own, int attempt);

  /// The newest claim; nothing without one.
  std::optional<Claim> newest(const std::string& path) const;
  /// Claims a file for a rank. False where another was first. True, too, where the file system has no symbolic links.
  bool claim(const std::string& path, Claim claim) const;

  /// Another node's rank writes no more about a file that was last changed then (Unix seconds): its collection of this attempt had ended before,
  /// or its collector has shown no sign of life for three minutes.
  bool is_over(int rank, double modified);
  /// Ranks of other nodes run in this folder, with numbers below this.
  bool others_run(int below);
  static constexpr int kAllRanks = 1 << 30;

  std::string rank_folder(int rank) const { return run_folder_ + "/rank-" + std::to_string(rank); }
  /// The folder of the rank that had the claim before this one, whose number is at least 1.
  std::string folder_before(const std::string& path, const Claim& claim) const;

 private:
  struct State {
    double looked = 0;            ///< steady seconds
    std::optional<double> ended;  ///< Unix seconds
    bool silent = false;
  };
  void look();
  bool is_silent(int rank) const;

  std::string run_folder_;
  std::vector<int> own_;
  int attempt_;
  double looked_ = 0;
  std::vector<int> running_;       ///< of other nodes, when last looked at
  std::map<int, State> collected_;  ///< of other nodes' ranks that have claims
};

}  // namespace ringlab
