// Where the ranks of a run are: each tells rank 0, which tells all of them, in a few requests a rank however many ranks there are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/store/key_store.h"
#include "comm/transport/net.h"

namespace ringlab {

struct PlaceExchange {
  int rank = 0;
  int world_size = 1;
  double seconds = 60;   ///< how long the ranks wait for each other, for messages
  double deadline = 60;  ///< on the steady clock
  /// On rank 0: what else to say where a rank is missing, such as refused connections.
  std::function<std::string()> remark = [] { return std::string(); };
};

/// Waits for `key` until `deadline`, on the steady clock. False: it has not come. Throws Stopped on a signal.
bool wait_for_key(KeyStore& store, const std::string& key, double deadline);

/// This rank does not take part: all others end with `why` (peer_disagrees).
void refuse_to_join(KeyStore& store, const std::string& why);

/// Returns where all ranks are; `own` is this one's. No rank returns before all have read it: rank 0 may leave early, but its store must remain till then. Throws Failure
/// (rendezvous_timeout, peer_disagrees), StoreError, and Stopped on a signal.
std::vector<Endpoint> exchange_places(KeyStore& store, const PlaceExchange& exchange, const Endpoint& own);

}  // namespace ringlab
