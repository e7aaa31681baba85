// torchrun's store, as far as the ranks need it to find rank 0. c10d's TCPStore: its agent listens, workers ask.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "comm/transport/net.h"

namespace ringlab {

/// A connection to the agent's TCPStore. Two protocols are spoken: that of PyTorch 2.1 and later, whose first message is a number that
/// proves nothing but the protocol, and the one before. Neither knows whom it talks to. Only this machine's byte order: PyTorch sends its
/// own, too. Every method throws StoreError.
class AgentStore {
 public:
  /// Connects and finds out which protocol is spoken, within `seconds`. `from`: the address to connect from, "": the route's.
  /// Throws Failure (rendezvous_timeout) and, where `give_up` says so, Stopped.
  AgentStore(const Endpoint& agent, const std::string& from, double seconds, const std::function<bool()>& give_up);

  void set(const std::string& key, const std::string& value);
  /// Nothing where there is no such key.
  std::optional<std::string> get(const std::string& key);

  /// Of this end.
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
