// The files of a rank that its collector reads, and how far each is read: the part of collect.json that is about them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "collect/records/json_reader.h"
#include "collect/source.h"

namespace ringlab {

class RankSources {
 public:
  using List = std::vector<std::unique_ptr<Source>>;

  /// `patterns`: for what is printed.
  explicit RankSources(std::shared_ptr<const UserPatterns> patterns) : patterns_(std::move(patterns)) {}

  /// A path that is there is not added again.
  void add(SourceKind kind, const std::string& path, const std::string& shown);
  bool has(const std::string& path) const;
  /// 5,000 files are read.
  bool is_full() const;
  const List& list() const { return list_; }

  /// Continues with what add_to() wrote, maybe in an earlier attempt; a file that was replaced meanwhile is read from its start.
  void restore(const JsonValue& snapshot, int attempt);
  /// The rank was started again: its first new folder of event files continues the names of those before.
  void begin_start() { has_events_ = false; }
  /// False while something that is read is not written: it would be lost.
  bool add_to(JsonObject& snapshot, int attempt) const;

 private:
  std::string prefix_of(const std::string& path);

  std::shared_ptr<const UserPatterns> patterns_;
  List list_;
  std::string events_folder_;  ///< of the attempt's first event file: names in others get a prefix
  bool has_events_ = false;    ///< in this start of the rank
};

}  // namespace ringlab
