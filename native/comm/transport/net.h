// Sockets and name resolution: checks before c10d connects.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

struct sockaddr_storage;

namespace ringlab {

/// A file descriptor with RAII.
class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  ~Socket();
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int fd() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

struct Endpoint {
  std::string host;
  uint16_t port = 0;
  /// HOST:PORT, with […] around an IPv6 address.
  std::string str() const { return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port); }
};

/// "tcp://HOST:PORT" or "HOST:PORT" ([…] around an IPv6 address). Throws Failure (usage).
Endpoint parse_endpoint(const std::string& text);
/// "::1" for "[::1]"; other hosts unchanged.
std::string without_brackets(const std::string& host);

/// Listens on the endpoint. Throws Failure: port_in_use; address_not_local if this machine does not have the address.
Socket listen_on(const Endpoint& endpoint, int backlog = 1);

/// As above, on every address of this machine that the name resolves to (at most four), never on all addresses.
std::vector<Socket> listen_on_all(const Endpoint& endpoint, int backlog);

/// 0.0.0.0, :: and other forms of the wildcard address.
bool is_every_address(const std::string& host);

/// Does the name resolve to loopback addresses only, without being a loopback name? Debian maps a machine's own name to
/// 127.0.1.1.
bool is_hidden_loopback(const std::string& host);

/// Connects, with retries until `seconds` have passed or `give_up` returns true (invalid Socket). A name that does not resolve is
/// retried, too: it may be registered late. `reason` receives the last error's text. `from`: an address of this machine to
/// connect from, if possible; "": the route's.
Socket connect_to(const Endpoint& endpoint, double seconds, const std::function<bool()>& give_up, std::string& reason, const std::string& from = {});

/// Does the endpoint's machine answer within `seconds`, if only to refuse the connection? `from`: as above.
bool answers(const Endpoint& endpoint, double seconds, const std::string& from = {});

/// The address of this end of a connected socket, "" if unknown.
std::string local_address(const Socket& socket);

/// This machine's address on the route to a numeric address; "" without one. Sends nothing.
std::string address_towards(const std::string& numeric);

/// "192.0.2.7": without a port, IPv4-mapped IPv6 addresses as IPv4. "" if unknown.
std::string numeric_address(const sockaddr_storage& address, unsigned length);

/// The numeric addresses that `host` resolves to, as from numeric_address(); empty if it does not resolve.
std::vector<std::string> numeric_addresses(const std::string& host);

/// The port of this end, 0 if unknown.
uint16_t local_port(const Socket& socket);

/// A loopback port that was free when tested.
uint16_t free_local_port();

std::string host_name();

/// Is there a network interface with that name?
bool has_interface(const std::string& name);

/// "lo, eth0": the interfaces of this machine, for messages.
std::string interface_names();

}  // namespace ringlab
