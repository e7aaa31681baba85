// The ranks that are left after a loss meet again. PROTOCOL.md, 'Going on with fewer'.
#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/sha256.h"
#include "comm/collectives/state.h"
#include "comm/store/named_store.h"
#include "comm/store/next_members.h"

namespace ringlab {
namespace {

/// Within which the heartbeat notices, too, that the keeper has closed its store: seconds.
constexpr double kFirstEndSeconds = 0.6;
/// How long the first successor of the store's keeper waits for the others, and they for it: seconds.
constexpr double kSuccessionSeconds = 3;
/// How long the machine of a successor that could not be reached has to answer anything at all: seconds.
constexpr double kMachineSeconds = 2;

/// Where the survivors have met.
struct Rendezvous {
  NextMembers next;
  std::shared_ptr<KeyStore> store;  ///< the next generation's part
  std::shared_ptr<RunKeys> keys;
  std::shared_ptr<Beats> beats;
};

class Regrouping {
 public:
  Regrouping(CommState& state, const LostPeer& lost, std::string note, double patience) : state_(state), note_(std::move(note)), patience_(kSuccessionSeconds + patience) {
    ended_.place = state.settings.rank;
    ended_.count = state.settings.world_size;
    ended_.lost.insert(lost.rank);
    ended_.first_ended = lost.rank == 0 && lost.ended;
    ended_.silence = std::min(state.settings.peer_timeout, kMaxSilence);
  }

  Rendezvous meet() {
    if (ended_.lost.count(0) == 0) {
      try {
        return meet_at_keeper();
      } catch (const StoreError&) {  // it is lost, too
        ended_.lost.insert(0);
        ended_.first_ended = state_.heartbeat->has_first_ended(kFirstEndSeconds);
      }
    }
    return meet_at_successor();
  }

 private:
  int generation() const { return state_.settings.generation + 1; }

  Rendezvous meet_at_keeper() {
    Rendezvous found;
    found.keys = state_.keys;
    found.beats = state_.beats;
    found.store = part_of_generation(state_.keys->shared_store(), generation());
    if (ended_.place == 0) {
      found.next = gather_members(*found.store, state_.store.get(), ended_, note_, 0);
      return found;
    }
    join(found);
    return found;
  }

  Rendezvous meet_at_successor() {
    // A question that a silent keeper has not answered would last for as long as the patience with it.
    state_.to_keeper().shut_down();
    const double begun = steady_seconds();
    for (int place = 1; place < ended_.place; ++place) {
      if (ended_.lost.count(place) > 0) continue;
      try {
        Rendezvous found = open(place, seconds_for(place, begun));
        join(found);
        return found;
      } catch (const Failure&) {  // it does not listen
        pass_over_silent_machine(place);
      } catch (const StoreError&) {
      }
      ended_.lost.insert(place);
    }
    const double seconds = seconds_for(ended_.place, begun);
    Rendezvous found = open(ended_.place, seconds);
    found.next = gather_members(*found.store, nullptr, ended_, note_, seconds);
    return found;
  }

  /// Where the machine of the successor `place` does not even refuse a connection, its other ranks cannot be reached either: one wait for the loss of a machine, however many ranks it had.
  /// A rank that passes them over by mistake comes to the next successor early, and waits there as long as without this: seconds_for() counts from the beginning.
  void pass_over_silent_machine(int place) {
    const Endpoint& silent = state_.successors[static_cast<size_t>(place)];
    if (answers(silent, kMachineSeconds, state_.settings.address)) return;
    for (int other = place + 1; other < ended_.place; ++other) {
      if (state_.successors[static_cast<size_t>(other)].host == silent.host) ended_.lost.insert(other);
    }
  }

  /// How long to wait for the successor `place`, and it for the others, where the search began at `begun`. One rank may have been connected to an earlier successor that has ended, and
  /// another one, which was not, still looks for it: both must reach the next one.
  double seconds_for(int place, double begun) const {
    const double until = begun + place * patience_ + (place - 1) * ended_.silence;
    return std::max(patience_, until - steady_seconds());
  }

  /// A keeper that is silent from now on is lost, too.
  void join(Rendezvous& found) const {
    found.keys->set_patience(ended_.silence);
    found.next = join_members(*found.store, ended_, note_);
    found.keys->set_patience({});
  }

  /// The store of the successor `place`, which this rank keeps if it is its own place; else it is there within `seconds`.
  Rendezvous open(int place, double seconds) const {
    RendezvousPlace at;
    at.master = state_.successors[static_cast<size_t>(place)];
    at.world_size = ended_.count;
    at.rank = place == ended_.place ? 0 : ended_.place;
    at.secret = state_.settings.secret;
    // A process of another generation does not know this one's.
    if (!at.secret.open()) at.secret.bytes = view_of(hmac_sha256(at.secret.bytes, {"generation " + std::to_string(generation())}));
    at.peers = state_.addresses;
    at.from = state_.settings.address;
    Rendezvous found;
    found.keys = std::make_shared<RunKeys>(std::move(at), seconds);
    found.store = part_of_generation(found.keys->shared_store(), generation());
    found.beats = std::make_shared<Beats>(*found.keys, state_.settings.peer_timeout);
    return found;
  }

  CommState& state_;
  EndedGeneration ended_;
  const std::string note_;
  const double patience_;
};

template <typename Value>
std::vector<Value> at_places(const std::vector<Value>& all, const std::vector<int>& places) {
  std::vector<Value> some;
  for (const int place : places) some.push_back(all[static_cast<size_t>(place)]);
  return some;
}

/// Where the survivors meet. A machine that has lost its own address meets nobody, and has not failed by itself: the others go on without it.
Rendezvous meet_again(CommState& state, const LostPeer& lost, const Failure& why, const std::string& note, double patience) {
  try {
    return Regrouping(state, lost, note, patience).meet();
  } catch (const Failure& failure) {
    if (failure.code() != ErrorCode::address_not_local) throw;
    const std::string& own = state.successors[static_cast<size_t>(state.settings.rank)].host;
    throw Failure(ErrorCode::peer_lost, std::string(why.what()) + "; " + own + " is no longer an address of this machine", "start all ranks again with its new address");
  }
}

}  // namespace

Regrouped Communicator::regroup(const std::string& what, const std::string& note, double patience) {
  auto& s = *state_;
  s.reporting = true;
  s.end_exchanges(steady_seconds());
  const auto lost = s.heartbeat->wait_for_verdict(s.verdict_seconds());
  if (!lost) throw Failure(ErrorCode::peer_lost, "the connection between the ranks broke: " + what.substr(0, what.find('\n')), "all ranks still answer: look at the network between them");
  const Failure why = peer_lost(s, *lost);
  const Failure left_out(ErrorCode::peer_lost, std::string(why.what()) + "; the others went on without this rank", why.hint());
  if (lost->rank == s.settings.rank) throw Failure(left_out);
  const Rendezvous found = meet_again(s, *lost, why, note, patience);
  const auto& places = found.next.places;
  const auto mine = std::find(places.begin(), places.end(), s.settings.rank);
  if (mine == places.end()) throw Failure(left_out);

  std::vector<int> numbers = s.settings.members;
  for (int rank = static_cast<int>(numbers.size()); rank < s.settings.world_size; ++rank) numbers.push_back(rank);
  Regrouped result;
  result.generation = s.settings.generation + 1;
  result.may_go_on = found.next.may_go_on;
  result.places = places;
  result.members = at_places(numbers, places);
  result.notes = found.next.notes;
  std::set_difference(numbers.begin(), numbers.end(), result.members.begin(), result.members.end(), std::back_inserter(result.lost));
  result.why = why;
  if (places.size() > 1) {
    auto next = std::make_unique<CommState>();
    next->settings = s.settings;
    next->settings.rank = static_cast<int>(mine - places.begin());
    next->settings.world_size = static_cast<int>(places.size());
    next->settings.generation = result.generation;
    next->settings.members = result.members;
    next->keys = found.keys;
    next->store = found.store;
    s.beats_go_on = found.beats == s.beats;
    next->beats = found.beats;
    next->addresses = at_places(s.addresses, places);
    next->successors = at_places(s.successors, places);
    next->reserved = std::move(s.reserved);
    next->own_address = s.successors[static_cast<size_t>(s.settings.rank)].host;
    result.communicator = std::unique_ptr<Communicator>(new Communicator(std::move(next)));
  }
  result.seconds = steady_seconds() - s.lost_at;
  return result;
}

}  // namespace ringlab
