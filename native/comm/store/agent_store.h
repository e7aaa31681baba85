// A client of torchrun's store, as needed to find rank 0: c10d's TCPStore, served by the agent.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "comm/transport/net.h"

namespace ringlab {

/// A connection to the agent's TCPStore. Supports the protocol of PyTorch 2.1 and later, whose first message is a magic number,
/// and the older one. Neither authenticates its peers. Only native byte order, as in PyTorch. Every method throws StoreError.
class AgentStore {
 public:
  /// Connects and detects the protocol, within `seconds`. `from`: the address to connect from, "": the route's. Throws
  /// Failure (rendezvous_timeout) and, if `give_up` returns true, Stopped.
  AgentStore(const Endpoint& agent, const std::string& from, double seconds, const std::function<bool()>& give_up);

  void set(const std::string& key, const std::string& value);
  /// Nothing for a missing key.
  std::optional<std::string> get(const std::string& key);

  /// Address of this end.
  const std::string& address() const { return address_; }

 private:
  enum class Query : unsigned char { validate = 0, set = 1, get = 3, check = 5, count = 7 };  ///< the newer protocol's; the older one's are one less
  std::string request(Query query) const;
  bool answers(bool newer, const std::string& greeting, size_t reply_bytes, double deadline);

  Socket socket_;
  bool newer_ = true;
  std::string address_;
};

}  // namespace ringlab
