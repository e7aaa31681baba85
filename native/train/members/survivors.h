// Where the ranks that are left after a loss stand, and from where they go on together. PROTOCOL.md, 'Going on with fewer'.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringlab {

/// Where one rank stands.
struct Stand {
  int64_t epoch = 0;
  int64_t batch = 0;        ///< steps of the epoch that it has completed
  int64_t step = 0;         ///< over the whole run
  int64_t landed = 0;       ///< exchanges of parameters that count on it
  int64_t landed_step = 0;  ///< steps before the last of them was sent
};

/// What a rank says to the others that are left.
struct Standing {
  int64_t generation = 0;       ///< with whose members it trains
  Stand stand;                  ///< with them
  int64_t next_generation = 0;  ///< with whose members it would go on, having received all for it: the others may train with them. 0: none
  Stand next;                   ///< with those
};

/// As text, for the others; and back. Throws Failure (peer_disagrees).
std::string note_of(const Standing& standing);
Standing standing_of(const std::string& note);

/// Where all stand with the members of one generation.
struct AgreedStands {
  int64_t generation = 0;
  std::vector<Stand> stands;
};

/// The latest generation that any of the ranks trains with. Each of the others had received all for it, or none would train with it: otherwise Failure (peer_disagrees).
AgreedStands agreed_stands(const std::vector<std::string>& notes);

/// The step behind which all go on.
struct Boundary {
  int64_t epoch = 0;
  int64_t batch = 0;
  int64_t step = 0;
  int root = 0;                  ///< which of the survivors has the weights, or the anchors, that count
  std::vector<bool> behind;      ///< for each survivor: it lacks the last step, or the last exchange
  std::vector<int64_t> counted;  ///< for each rank that there was: its steps of the deal that are in the model, or in its own if it is left
  int64_t sent = 0;              ///< steps of the deal of which an exchange has brought all to all
  bool any_sent = false;         ///< there was an exchange since ranks were lost the last time
};

/// `stands` of the survivors, who had the ranks `places` of `count`; `dealt`: steps of the epoch before its last deal. `averages_parameters`: local steps. Throws Failure
/// (peer_disagrees) where the stands differ by more than a step.
Boundary boundary_of(const std::vector<Stand>& stands, const std::vector<int>& places, int count, int64_t dealt, bool averages_parameters);

}  // namespace ringlab
