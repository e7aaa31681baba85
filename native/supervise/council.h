// What the supervisors of all ranks agree on when an attempt has ended: rank 0's decides, and sends the others which checkpoint all
// continue from. native/PROTOCOL.md, 'Supervisors'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "supervise/attempt_lines.h"
#include "supervise/rendezvous.h"
#include "supervise/policy.h"
#include "supervise/rank_end.h"

namespace ringlab {

struct CouncilSettings {
  int rank = 0;
  int world_size = 1;
  std::string metrics;  ///< this rank's metrics file
  double wait = 86400;  ///< seconds for which missing supervisors are waited for
  bool saves = false;   ///< --on-lost-rank save: the ranks that are left save before they end
};

/// A checkpoint that all ranks can continue from.
struct Choice {
  std::string file;             ///< "": there is none
  std::optional<int64_t> step;  ///< of that save
  bool of_fewer = false;        ///< it is one of fewer ranks than all, and may be in another rank's folder
  bool fresh = false;           ///< some ranks have no part of it any more: each rank's own state starts from its initial value
};

struct NextStep {
  enum class Kind { restart, end, stop };
  Kind kind = Kind::end;
  std::string file;    ///< the checkpoint to continue from; "": start as the command says
  bool fresh = false;  ///< without the ranks' own states
};

/// In the rank's folder. Not thread-safe.
class Council {
 public:
  /// `rendezvous` may be null with one rank.
  Council(CouncilSettings settings, RestartLimits limits, SupervisorRendezvous* rendezvous);

  /// Before the first attempt of a run that is continued from its own newest checkpoint: which one all continue from, with the `file` "" if there is none.
  /// Nothing where the others are not there within a minute, or this rank is stopped: the trainers then report what is missing.
  std::optional<NextStep> first_file();
  /// From now on everything is about this attempt, from 1.
  void begin(int attempt);
  enum class Others { run, failed, ended };
  /// While this rank's trainer runs and the ranks have met: has another rank failed, and has one ended that had lost it? Connects where it is not connected yet.
  Others others();
  /// After this rank's trainer has ended: waits until all have. A signal ends the wait (`stop`), and so does a supervisor that was stopped.
  NextStep after(const RankEnd& own, const AttemptLines& lines);
  /// This rank is being stopped: the others need not wait for it. Never throws.
  void leave();

 private:
  NextStep alone(const RankEnd& own, const AttemptLines& lines);
  NextStep lead(const RankEnd& own, const AttemptLines& lines);
  NextStep follow(const RankEnd& own);
  bool gather(const RankEnd& own, std::vector<Ended>& ends);
  NextStep decide(const std::vector<Ended>& ends, const AttemptLines& lines);
  void note_failure(const Ended& cause, const Decision& decision, const Choice& choice, const AttemptLines& lines);
  NextStep not_answered(const Ended& cause, const AttemptLines& lines);
  std::optional<Choice> choose();
  std::optional<int64_t> step_of_fewer(const std::vector<std::string>& answers) const;
  void skip(const std::string& file, const std::string& why) const;
  std::optional<std::vector<std::string>> ask(const std::string& question);
  std::string answer_to(const std::string& question) const;
  void fail(const RankEnd& own);
  NextStep announce(NextStep next);
  void acknowledge(const std::string& next);
  void answer();
  void write(const char* kind, const JsonObject& line) const;
  void note_waiting(const std::vector<int>& ranks, const std::string& why);
  bool pause(double seconds);
  bool stopping();
  std::string key(const std::string& what) const { return "attempt/" + std::to_string(attempt_) + "/" + what; }
  std::string key(const std::string& what, int rank) const { return key(what + "/" + std::to_string(rank)); }

  CouncilSettings settings_;
  RestartPolicy policy_;
  SupervisorRendezvous* rendezvous_;
  int attempt_ = 0;
  int64_t reached_ = 0;           ///< the largest step of a save that was chosen
  int asked_ = 0;                 ///< number of the last question about a save
  int answered_ = 0;
  double waits_since_ = 0;        ///< steady seconds
  double patience_ = 0;           ///< seconds for which the others are waited for now
  std::vector<int> noted_;        ///< the ranks of the last `restart_wait` line of this attempt
};

}  // namespace ringlab
