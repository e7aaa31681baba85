// Rank 0's store as a server: a separate thread that listens only on the addresses of --dist-url.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/store/store_table.h"
#include "comm/transport/net.h"
#include "comm/transport/run_secret.h"

namespace ringlab {

struct ServerSettings {
  Endpoint endpoint;
  RunSecret secret;
  std::vector<std::string> peers;  ///< addresses that may connect; empty: any
  size_t unproved = 64;            ///< maximum number of unauthenticated connections in all
  size_t unproved_each = 16;       ///< and from one address; the oldest one is closed beyond that
  double proof_seconds = 5;        ///< time limit of the authentication
  StoreLimits limits;
};

/// Refused connections, for the message of a failed rendezvous.
struct Refusals {
  int64_t count = 0;
  std::string last;  ///< "192.0.2.7: another secret"
};

class StoreServer {
 public:
  /// Listens when the constructor returns. Throws Failure: port_in_use, address_not_local.
  explicit StoreServer(ServerSettings settings);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  /// Its port: the settings', or the system's choice for 0 (for a host with one address).
  uint16_t port() const { return port_; }
  /// A connection from this process, not over the network.
  Socket connect_here();
  /// All ranks are connected: closes the port, keeps the connections.
  void close_port();
  Refusals refusals() const;

 private:
  struct Connection;
  void serve();
  void take_from(const Socket& listener);
  void adopt();
  void make_room(const std::string& address);
  bool read_from(Connection& connection);
  bool take_message(Connection& connection);
  bool prove(Connection& connection);
  void reply(Connection& connection, const std::string& payload);
  bool flush(Connection& connection);
  void wake_waiting(double time);
  void refused(const std::string& address, const std::string& why);
  void wake();

  const ServerSettings settings_;
  std::vector<std::string> peers_;  ///< numeric
  uint16_t port_ = 0;
  std::vector<Socket> listeners_;   ///< the thread's, once it runs
  std::vector<std::unique_ptr<Connection>> connections_;
  StoreTable table_;
  Socket alarm_;  ///< an eventfd that ends poll()
  std::atomic<bool> closing_{false};
  std::atomic<bool> port_closed_{false};
  double accept_again_ = 0;  ///< no free descriptor until then

  mutable std::mutex mutex_;  ///< guards the members below
  std::vector<Socket> brought_;
  Refusals refusals_;
  std::thread thread_;
};

}  // namespace ringlab
