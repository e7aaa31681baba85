// The rendezvous of a run's ranks: chooses rank 0's own server, whose address may come from torchrun's store.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/store/agent_rendezvous.h"
#include "comm/store/key_store.h"
#include "comm/store/store_server.h"
#include "comm/transport/net.h"
#include "comm/transport/run_secret.h"

namespace ringlab {

class StoreClient;

struct RendezvousPlace {
  Endpoint master;                 ///< rank 0's; with `agent` that of torchrun's store
  std::optional<AgentJob> agent;   ///< rank 0 chooses its port, which the others read in the agent's store
  int world_size = 1;
  int rank = 0;
  RunSecret secret;
  std::vector<std::string> peers;  ///< rank 0: see ServerSettings
  std::string from;                ///< others: the address to connect from; "": the route's
  /// Ends the wait for rank 0. Ranks that have trained wait for as long as it takes, which is bounded: they have work to save.
  std::function<bool()> give_up = [] { return false; };
};

/// A run's keys in its store. They begin with a name of the run, derived from the secret.
class RunKeys {
 public:
  /// Rank 0 listens; the others connect within `seconds`. Throws Failure (port_in_use, address_not_local, rendezvous_timeout,
  /// peer_disagrees), and Stopped where the place's `give_up` returns true.
  RunKeys(RendezvousPlace place, double seconds);

  KeyStore& store() { return *store_; }
  const std::shared_ptr<KeyStore>& shared_store() const { return store_; }
  /// Of store(): for an answer, in seconds; nothing: as at the start. For any thread.
  void set_patience(std::optional<double> seconds);
  /// Another connection, for exclusive use: made within `seconds`. An answer that takes longer than `patience` seconds, or is outstanding when `give_up` returns true, is an
  /// error. Throws as the constructor does.
  std::unique_ptr<KeyStore> another(double seconds, double patience, std::function<bool()> give_up) const;
  /// Address of this rank's end.
  const std::string& own_address() const { return own_address_; }
  /// Rank 0: accepts no further connections.
  void close_port();
  /// Is this a connection to the store, or of its server?
  bool carries(const Socket& socket) const;
  /// Rank 0: ". 2 connections were refused, the last from …", else empty.
  std::string refusals() const;

 private:
  void listen(double deadline);
  std::unique_ptr<StoreClient> find_rank0(double deadline);

  RendezvousPlace place_;  ///< `master` and `secret` once rank 0 is found
  std::unique_ptr<StoreServer> server_;
  StoreClient* client_ = nullptr;  ///< in store_
  std::shared_ptr<KeyStore> store_;
  std::string own_address_;
};

}  // namespace ringlab
