// The TCP connections that a library opened for us, found among this process's descriptors, so that they can be shut down.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "comm/transport/net.h"

namespace ringlab {

/// The ends of a connected socket, with numeric addresses; port 0 where unknown.
Endpoint local_end(const Socket& socket);
Endpoint remote_end(const Socket& socket);

/// Reserves a port of this machine's address `host`: nothing listens, so that connections are refused, and listen_on() can take it while the socket lives.
/// Throws Failure (address_not_local, internal).
Socket reserve_port(const std::string& host);

/// Connections that Gloo opened: it has no call that ends an operation under way, but a connection that is shut down does.
/// shut_down() is for any thread, once the constructor has returned.
class Connections {
 public:
  /// All connected TCP sockets of this process now.
  using Known = std::set<std::pair<uint64_t, uint64_t>>;
  static Known open_now();

  Connections() = default;
  /// Those that were opened since `before`, without those of which `excepted` is true.
  Connections(const Known& before, const std::function<bool(const Socket&)>& excepted);

  /// Both ends see the end of each connection. What waits for one fails.
  void shut_down() const;

  /// Takes them out of the library's event loops. After shut_down(), for what the library does not notice.
  void end_events() const;
  size_t size() const { return sockets_.size(); }

 private:
  std::vector<Socket> sockets_;  ///< descriptors of our own: the library closes its own when it likes
};

}  // namespace ringlab
