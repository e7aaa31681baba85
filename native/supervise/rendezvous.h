// The rendezvous of a run's supervisors between two attempts: a store at rank 0's endpoint, which is open while the ranks' own is not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/store/store_client.h"
#include "comm/store/store_server.h"
#include "comm/transport/net.h"
#include "comm/transport/run_secret.h"

namespace ringlab {

struct SupervisorRendezvousSettings {
  Endpoint endpoint;
  std::string from;                ///< others: the address to connect from; "": the route's
  std::vector<std::string> peers;  ///< rank 0: addresses that may connect; empty: any
  RunSecret secret;                ///< the supervisors' own, not the ranks'
  bool leads = false;              ///< is this rank 0's supervisor?
};

class SupervisorRendezvous {
 public:
  explicit SupervisorRendezvous(SupervisorRendezvousSettings settings) : settings_(std::move(settings)) {}

  /// Rank 0's listens, the others connect. False where that does not work now: the ranks' own store has the port, or rank 0's
  /// supervisor is not there yet. Takes at most a second. `why` receives the reason.
  bool open(std::string& why);
  bool is_open() const { return client_ != nullptr; }
  /// Rank 0's: also ends the others' connections.
  void close();

  /// These throw StoreError where the connection is gone; close() it then. Only while it is open.
  void set(const std::string& key, const std::string& value) { client_->set(key, value); }
  std::optional<std::string> get(const std::string& key) { return client_->get(key); }
  int64_t add(const std::string& key, int64_t amount) { return client_->add(key, amount); }

 private:
  SupervisorRendezvousSettings settings_;
  std::unique_ptr<StoreServer> server_;
  std::unique_ptr<StoreClient> client_;
};

/// A secret for one purpose, derived from the run's: hexadecimal digits.
std::string derived_secret(const RunSecret& run, const std::string& purpose);

}  // namespace ringlab
