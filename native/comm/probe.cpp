#include "comm/probe.h"

#include <poll.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "comm/net.h"
#include "src/error.h"
#include "src/json.h"
#include "src/stop_signal.h"
#include "src/suggest.h"

namespace ringlab {
namespace {

// The connecting side sends one letter: P (one byte back), U + 8 bytes of size (that much follows, then A comes back),
// D + 8 bytes of size (that much comes back).
constexpr size_t kChunk = size_t{64} << 10;
constexpr int kPatience = 10000;  ///< ms of silence after which the other side is given up

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void wait_for(const Socket& socket, short events) {
  pollfd wait{socket.fd(), events, 0};
  for (int waited = 0; waited < kPatience; waited += 100) {
    if (stop_requested()) throw Stopped();
    if (poll(&wait, 1, 100) > 0) return;
  }
  throw Failure(ErrorCode::peer_lost, "probe: the other side is silent");
}

void send_all(const Socket& socket, const void* data, size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    wait_for(socket, POLLOUT);
    const ssize_t count = send(socket.fd(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) throw Failure(ErrorCode::peer_lost, std::string("probe: ") + std::strerror(errno));
    bytes += count;
    size -= static_cast<size_t>(count);
  }
}

/// False where the other side has closed before the first byte.
bool receive_all(const Socket& socket, void* data, size_t size) {
  auto* bytes = static_cast<char*>(data);
  size_t left = size;
  while (left > 0) {
    wait_for(socket, POLLIN);
    const ssize_t count = recv(socket.fd(), bytes, left, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0 && left == size) return false;
    if (count <= 0) throw Failure(ErrorCode::peer_lost, "probe: the connection broke");
    bytes += count;
    left -= static_cast<size_t>(count);
  }
  return true;
}

void move(const Socket& socket, uint64_t size, bool sending) {
  std::array<char, kChunk> chunk{};
  while (size > 0) {
    const auto part = static_cast<size_t>(std::min<uint64_t>(size, chunk.size()));
    if (sending) send_all(socket, chunk.data(), part);
    else if (!receive_all(socket, chunk.data(), part)) throw Failure(ErrorCode::peer_lost, "probe: the connection broke");
    size -= part;
  }
}

int serve(const Endpoint& endpoint) {
  const Socket listener = listen_on(endpoint);
  std::printf("listening on %s\n", endpoint.str().c_str());
  std::fflush(stdout);
  pollfd wait{listener.fd(), POLLIN, 0};
  while (poll(&wait, 1, 100) <= 0) {
    if (stop_requested()) throw Stopped();
  }
  const Socket socket(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  const int on = 1;
  setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  char letter = 0;
  while (receive_all(socket, &letter, 1)) {
    if (letter == 'P') {
      send_all(socket, "P", 1);
      continue;
    }
    uint64_t size = 0;
    if ((letter != 'U' && letter != 'D') || !receive_all(socket, &size, sizeof size)) throw Failure(ErrorCode::peer_lost, "probe: the other side is no probe");
    move(socket, size, letter == 'D');
    if (letter == 'U') send_all(socket, "A", 1);
  }
  return 0;
}

/// Bits a second in one direction: pieces that grow until one takes long enough to count.
double throughput(const Socket& socket, char direction, double seconds) {
  uint64_t size = kChunk;
  while (true) {
    const double started = now();
    send_all(socket, &direction, 1);
    send_all(socket, &size, sizeof size);
    move(socket, size, direction == 'U');
    char answer = 0;
    if (direction == 'U' && !receive_all(socket, &answer, 1)) throw Failure(ErrorCode::peer_lost, "probe: the connection broke");
    const double took = std::max(1e-6, now() - started);
    if (took >= seconds * 0.6 || size >= (uint64_t{1} << 36)) return 8.0 * static_cast<double>(size) / took;
    size = static_cast<uint64_t>(static_cast<double>(size) * std::clamp(seconds / took, 1.5, 8.0));
  }
}

int measure(const Endpoint& endpoint, double seconds) {
  std::string reason;
  const Socket socket = connect_to(endpoint, 5, stop_requested, reason);
  if (stop_requested()) throw Stopped();
  if (!socket.valid()) throw Failure(ErrorCode::rendezvous_timeout, "probe: " + endpoint.str() + ": " + reason, "is the other side listening?");
  const double started = now();
  std::vector<double> times;
  for (int i = 0; i < 50 && (times.size() < 5 || now() - started < seconds); ++i) {
    const double sent = now();
    send_all(socket, "P", 1);
    char answer = 0;
    if (!receive_all(socket, &answer, 1)) throw Failure(ErrorCode::peer_lost, "probe: the connection broke");
    times.push_back(now() - sent);
  }
  std::sort(times.begin(), times.end());
  const double up = throughput(socket, 'U', seconds / 2);
  const double down = throughput(socket, 'D', seconds / 2);
  JsonObject result;
  result.add("v", 1).add("kind", "probe").add("address", endpoint.str()).add("rtt_ms", 1000 * times[times.size() / 2]);
  result.add("send_bits_per_second", up).add("receive_bits_per_second", down).add("seconds", now() - started);
  std::printf("%s\n", result.str().c_str());
  return 0;
}

}  // namespace

int probe_command(const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = {"--listen", "--connect", "--seconds"};
  std::string listen;
  std::string connect;
  double seconds = 2;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw Failure(ErrorCode::usage, "probe: " + name + ": unknown option; nearest: " + join(nearest(name, names, 3)));
    }
    if (i + 1 == arguments.size()) throw Failure(ErrorCode::usage, "probe: " + name + ": its value is missing");
    const std::string& value = arguments[++i];
    if (name == "--listen") {
      listen = value;
    } else if (name == "--connect") {
      connect = value;
    } else {
      const auto result = std::from_chars(value.data(), value.data() + value.size(), seconds);
      if (result.ec != std::errc() || result.ptr != value.data() + value.size() || seconds < 0.1 || seconds > 600) {
        throw Failure(ErrorCode::usage, "probe: --seconds " + value + ": valid: 0.1 to 600");
      }
    }
  }
  if (listen.empty() == connect.empty()) throw Failure(ErrorCode::usage, "probe: give either --listen HOST:PORT or --connect HOST:PORT");
  return listen.empty() ? measure(parse_endpoint(connect), seconds) : serve(parse_endpoint(listen));
}

}  // namespace ringlab
