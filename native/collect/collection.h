// The collectors of a node's ranks, and which of them reads which file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collect/file_claims.h"
#include "collect/rank_collector.h"
#include "collect/work_folder.h"

namespace ringlab {

struct CollectSettings {
  std::vector<RankFolders> ranks;  ///< in their order
  std::vector<std::string> outputs;
  std::string patterns;
  int attempt = 1;
};

/// All ranks of a node. Ranks may share a working folder, those of other nodes too: a file there belongs to the rank whose process wrote it, where
/// the file's name says so, else to the lowest that still runs. Of several nodes the one that claims it first has it (FileClaims); the others leave it
/// a while to the one that should.
class Collection {
 public:
  /// Throws Failure (usage).
  explicit Collection(const CollectSettings& settings);

  /// One round. False when all ranks have ended and everything has been read.
  bool round();
  /// At a stop: reads what each file holds, and stores the offset of its end.
  void stop();

 private:
  struct Waiting {
    SeenFile file;
    double since = 0;  ///< steady seconds
    double next = 0;
  };
  struct Shared {
    Shared(WorkFolder work, FileClaims files) : folder(std::move(work)), claims(std::move(files)) {}
    WorkFolder folder;
    FileClaims claims;
    std::map<std::string, Waiting> waiting;  ///< by path: seen, and not taken yet
    std::vector<std::string> outputs;        ///< not there yet
  };

  static void drain(RankCollector& rank);
  void look(bool last, bool all);
  static void look_for_outputs(Shared& shared);
  bool settle(Shared& shared, Waiting& waiting, bool last, bool all);
  RankCollector* by_number(int rank);
  /// The lowest of this folder that runs; null without one.
  RankCollector* lowest(const std::string& work_folder);
  RankCollector* writer_of(Shared& shared, const SeenFile& file, bool others);

  std::vector<std::unique_ptr<RankCollector>> ranks_;
  std::map<std::string, Shared> folders_;
  double before_;
  double looked_ = 0;
  double shown_ = -1e9;
};

}  // namespace ringlab
