// Survivors of a loss agree on who goes on. PROTOCOL.md, 'Going on with fewer'.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "comm/store/key_store.h"

namespace ringlab {

/// A generation that has lost members, as one of its survivors sees it. A place is a rank of that generation.
struct EndedGeneration {
  int place = 0;  ///< this survivor's
  int count = 1;  ///< of the members that there were
  std::set<int> lost;
  bool first_ended = false;  ///< the first member's process is known to have ended
  double silence = 2;        ///< seconds without a heartbeat after which a member is lost
};

/// The members of the next generation: their places in the ended one, ascending, and the note of each.
struct NextMembers {
  bool may_go_on = true;  ///< false: too few are left. They may save together, and end
  std::vector<int> places;
  std::vector<std::string> notes;
};

/// Whether `places` may be a generation's successors: no two groups of survivors that do not know of each other both may.
bool may_go_on(const std::vector<int>& places, int count, bool first_ended);

/// On the survivor that keeps `store`: waits for the others' notes, and publishes the list. Where the others' heartbeats are in `beats`, as long as
/// they have one; else for `seconds`.
NextMembers gather_members(KeyStore& store, KeyStore* beats, const EndedGeneration& ended, const std::string& note, double seconds);

/// On another survivor: posts its note and waits for the list. Throws StoreError if the store's keeper ends.
NextMembers join_members(KeyStore& store, const EndedGeneration& ended, const std::string& note);

}  // namespace ringlab
