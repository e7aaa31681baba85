#include "comm/transport/net.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/numbers.h"

namespace ringlab {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

AddressList resolve(const Endpoint& endpoint, bool passive, std::string& reason) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = passive ? AI_PASSIVE : 0;
  addrinfo* list = nullptr;
  const int result = getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &list);
  if (result != 0) reason = gai_strerror(result);
  return {list, &freeaddrinfo};
}

constexpr double kLookSeconds = 0.2;  ///< between two looks at `give_up`
/// Seconds that an attempt waits: first one, since another way may answer; later longer, since the round trip may take more.
constexpr double kFirstAttempt = 1;
constexpr double kLongestAttempt = 8;
constexpr double kLongestOfSeveral = 3;  ///< where the name has other addresses, too

/// One attempt of at most `seconds`, or until `give_up` returns true; returns 0 or errno.
int try_connect(const Socket& socket, const addrinfo& address, double seconds, const std::function<bool()>& give_up) {
  const int flags = fcntl(socket.fd(), F_GETFL);
  fcntl(socket.fd(), F_SETFL, flags | O_NONBLOCK);
  if (connect(socket.fd(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    pollfd wait{socket.fd(), POLLOUT, 0};
    const double deadline = steady_seconds() + seconds;
    while (poll(&wait, 1, static_cast<int>(1000 * std::clamp(deadline - steady_seconds(), 0.0, kLookSeconds)) + 1) <= 0) {
      if (steady_seconds() >= deadline || give_up()) return ETIMEDOUT;
    }
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return error;
  }
  fcntl(socket.fd(), F_SETFL, flags);
  return 0;
}

/// On at most `maximum` of the name's addresses. Throws as listen_on() does.
std::vector<Socket> listen_on_some(const Endpoint& endpoint, int backlog, size_t maximum) {
  std::string reason;
  const auto list = resolve(endpoint, true, reason);
  if (!list) {
    throw Failure(ErrorCode::address_not_local, "cannot resolve " + endpoint.host + ": " + reason, "rank 0 must be given an address of its own machine");
  }
  std::vector<Socket> sockets;
  int error = 0;
  for (const addrinfo* address = list.get(); address != nullptr && sockets.size() < maximum; address = address->ai_next) {
    Socket socket(::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol));
    const int on = 1;
    setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address->ai_family == AF_INET6) setsockopt(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (socket.valid() && bind(socket.fd(), address->ai_addr, address->ai_addrlen) == 0 && listen(socket.fd(), backlog) == 0) sockets.push_back(std::move(socket));
    else if (error != EADDRINUSE) error = errno;
  }
  // The port is in use on one of the addresses: a rank that connects there would reach another program.
  if (error == EADDRINUSE) {
    throw std::move(Failure(ErrorCode::port_in_use, "port " + std::to_string(endpoint.port) + " of " + endpoint.host + " is in use", "choose another port in --dist-url, or stop what listens there")
                        .about_peer(-1, endpoint.str()));
  }
  if (!sockets.empty()) return sockets;
  if (error == EADDRNOTAVAIL) {
    throw std::move(Failure(ErrorCode::address_not_local, endpoint.host + " is not an address of this machine", "rank 0 must run on the machine that --dist-url names")
                        .about_peer(-1, endpoint.str()));
  }
  throw Failure(ErrorCode::internal, "cannot listen on " + endpoint.str() + ": " + std::strerror(error));
}

/// Best effort: if the address is not available, the kernel chooses.
void bind_from(const Socket& socket, const std::string& from, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (from.empty() || getaddrinfo(from.c_str(), nullptr, &hints, &found) != 0) return;
  const AddressList list(found, &freeaddrinfo);
  const int on = 1;
  setsockopt(socket.fd(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  [[maybe_unused]] const int bound = bind(socket.fd(), list->ai_addr, list->ai_addrlen);
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Endpoint parse_endpoint(const std::string& text) {
  std::string rest = text.rfind("tcp://", 0) == 0 ? text.substr(6) : text;
  const size_t colon = rest.rfind(':');
  const unsigned port = colon == std::string::npos ? 0 : number_of<unsigned>(std::string_view(rest).substr(colon + 1)).value_or(0);
  if (colon == std::string::npos || colon == 0 || port == 0 || port > 65535) throw Failure(ErrorCode::usage, text + ": not an address; valid: HOST:PORT");
  return {without_brackets(rest.substr(0, colon)), static_cast<uint16_t>(port)};
}

std::string without_brackets(const std::string& host) { return host.size() > 2 && host.front() == '[' && host.back() == ']' ? host.substr(1, host.size() - 2) : host; }

Socket listen_on(const Endpoint& endpoint, int backlog) { return std::move(listen_on_some(endpoint, backlog, 1).front()); }

std::vector<Socket> listen_on_all(const Endpoint& endpoint, int backlog) { return listen_on_some(endpoint, backlog, 4); }

Socket connect_to(const Endpoint& endpoint, double seconds, const std::function<bool()>& give_up, std::string& reason, const std::string& from) {
  const double deadline = steady_seconds() + seconds;
  bool bound = !from.empty();
  for (double patience = kFirstAttempt;; patience = std::min(2 * patience, kLongestAttempt)) {
    const auto list = resolve(endpoint, false, reason);
    const double longest = list && list->ai_next != nullptr ? std::min(patience, kLongestOfSeveral) : patience;
    for (const addrinfo* address = list.get(); address != nullptr; address = address->ai_next) {
      Socket socket(::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol));
      if (bound && socket.valid()) bind_from(socket, from, address->ai_family);
      const int error = socket.valid() ? try_connect(socket, *address, std::min(longest, std::max(0.05, deadline - steady_seconds())), give_up) : errno;
      if (error == 0) {
        const int on = 1;
        setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return socket;
      }
      reason = std::strerror(error);
    }
    // Alternates: an address without a route must not prevent the connection.
    if (!from.empty()) bound = !bound;
    if (give_up() || steady_seconds() >= deadline) return Socket();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

bool answers(const Endpoint& endpoint, double seconds, const std::string& from) {
  std::string reason;
  const auto list = resolve(endpoint, false, reason);
  for (const addrinfo* address = list.get(); address != nullptr; address = address->ai_next) {
    const Socket socket(::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol));
    if (!socket.valid()) continue;
    bind_from(socket, from, address->ai_family);
    const int error = try_connect(socket, *address, seconds, [] { return false; });
    if (error == 0 || error == ECONNREFUSED || error == ECONNRESET) return true;
  }
  return false;
}

bool is_every_address(const std::string& host) {
  std::string reason;
  const auto list = resolve({host, 1}, false, reason);
  for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next) {
    if (at->ai_family == AF_INET && reinterpret_cast<const sockaddr_in*>(at->ai_addr)->sin_addr.s_addr == INADDR_ANY) return true;
    if (at->ai_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(at->ai_addr)->sin6_addr)) return true;
  }
  return false;
}

bool is_hidden_loopback(const std::string& host) {
  if (host == "localhost" || host.rfind("127.", 0) == 0 || host == "::1") return false;
  std::string reason;
  const auto list = resolve({host, 1}, false, reason);
  for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next) {
    if (at->ai_family == AF_INET && ntohl(reinterpret_cast<const sockaddr_in*>(at->ai_addr)->sin_addr.s_addr) >> 24 != 127) return false;
    if (at->ai_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(at->ai_addr)->sin6_addr)) return false;
  }
  return list != nullptr;
}

std::string numeric_address(const sockaddr_storage& address, unsigned length) {
  char text[NI_MAXHOST];
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) return "";
  const std::string plain = text;
  return plain.rfind("::ffff:", 0) == 0 && plain.find('.') != std::string::npos ? plain.substr(7) : plain;
}

std::vector<std::string> numeric_addresses(const std::string& host) {
  std::string reason;
  const auto list = resolve({host, 1}, false, reason);
  std::vector<std::string> addresses;
  for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next) {
    sockaddr_storage storage{};
    std::memcpy(&storage, at->ai_addr, at->ai_addrlen);
    addresses.push_back(numeric_address(storage, at->ai_addrlen));
  }
  return addresses;
}

std::string local_address(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &length) != 0) return "";
  return numeric_address(address, length);
}

std::string address_towards(const std::string& numeric) {
  std::string reason;
  const auto list = resolve({numeric, 9}, false, reason);
  if (!list) return "";
  const Socket socket(::socket(list->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid() || connect(socket.fd(), list->ai_addr, list->ai_addrlen) != 0) return "";
  return local_address(socket);
}

uint16_t local_port(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

uint16_t free_local_port() {
  const Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = socket.valid() && bind(socket.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  const uint16_t port = bound ? local_port(socket) : 0;
  if (port == 0) {
    throw Failure(ErrorCode::internal, std::string("no free port on the loopback: ") + std::strerror(errno));
  }
  return port;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

bool has_interface(const std::string& name) { return if_nametoindex(name.c_str()) != 0; }

std::string interface_names() {
  std::string out;
  struct if_nameindex* list = if_nameindex();
  if (list == nullptr) return out;
  for (const struct if_nameindex* entry = list; entry->if_index != 0; ++entry) out += (out.empty() ? "" : ", ") + std::string(entry->if_name);
  if_freenameindex(list);
  return out;
}

}  // namespace ringlab
