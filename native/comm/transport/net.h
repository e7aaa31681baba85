// Plain sockets and names: what is checked before c10d connects anything.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

struct sockaddr_storage;

namespace ringlab {

/// A file descriptor with an owner.
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
/// "::1" of "[::1]"; any other host as it is.
std::string without_brackets(const std::string& host);

/// Listens on the endpoint. Throws Failure: port_in_use; address_not_local where this machine has no such address.
Socket listen_on(const Endpoint& endpoint, int backlog = 1);

/// The same on every address of this machine that the name resolves to (four at most): never on all addresses of the machine.
std::vector<Socket> listen_on_all(const Endpoint& endpoint, int backlog);

/// 0.0.0.0, :: and other forms of "every address of a machine".
bool is_every_address(const std::string& host);

/// Does the name resolve to loopback addresses only, without looking like it? Debian gives a machine's own name 127.0.1.1.
bool is_hidden_loopback(const std::string& host);

/// Connects, again and again until `seconds` have passed or `give_up` says so (invalid Socket). A name that does not
/// resolve is tried again too: it may be registered late. `reason` takes the last error's words. `from`: an address of this machine
/// to connect from where that works; "": the one that the route has.
Socket connect_to(const Endpoint& endpoint, double seconds, const std::function<bool()>& give_up, std::string& reason, const std::string& from = {});

/// The address of this end of a connected socket, "" where unknown.
std::string local_address(const Socket& socket);

/// The address of this machine that the route to a numeric address has; "" where there is none. Nothing is sent.
std::string address_towards(const std::string& numeric);

/// "192.0.2.7": without a port, and an IPv4 address as such where IPv6 carries it. "" where unknown.
std::string numeric_address(const sockaddr_storage& address, unsigned length);

/// The numeric addresses that `host` resolves to, written as numeric_address() does; none where it does not resolve.
std::vector<std::string> numeric_addresses(const std::string& host);

/// The port of this end, 0 where unknown.
uint16_t local_port(const Socket& socket);

/// A port of the loopback that was free a moment ago.
uint16_t free_local_port();

std::string host_name();

/// Is there a network interface of that name?
bool has_interface(const std::string& name);

/// "lo, eth0": the interfaces of this machine, for messages.
std::string interface_names();

}  // namespace ringlab
