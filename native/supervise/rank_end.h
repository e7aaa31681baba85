// How a rank's trainer ended, as supervisors report it to each other, and which of several ends explains the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringlab {

struct RankEnd {
  int code = 0;                ///< exit code; 0 if a signal ended it
  int signal = 0;              ///< 0: it exited
  bool out_of_memory = false;  ///< the kernel ended a process of this node for lack of memory
  bool silent = false;         ///< it did not end when the others had lost it: its supervisor killed it
  std::string error;           ///< code of its last `error` line of this attempt; "" without one
  std::string message;         ///< of the same line

  bool failed() const;
  /// Did it end by itself since it had lost others?
  bool lost_a_peer() const;
};

/// One line of JSON.
std::string text_of(const RankEnd& end);
/// Nothing if it is not such a text, or a number in it is impossible.
std::optional<RankEnd> rank_end_of(std::string_view text);

/// One rank's end; ends are kept in the order in which they were reported.
struct Ended {
  int rank = 0;
  RankEnd end;
};

/// The end that explains the others: of the first rank that failed by itself; without one, of one that fell silent; else of the first
/// that lost a peer. Null if none failed.
const Ended* blamed(const std::vector<Ended>& ends);

/// "rank 1 was killed by SIGKILL", "rank 0 ended with exit code 3": for console lines.
std::string words_of(const Ended& ended);

}  // namespace ringlab
