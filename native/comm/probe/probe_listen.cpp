// The listening side of `probe`: proofs of the secret from many connections at once, then one measurement after the other.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/stop_signal.h"
#include "comm/probe/probe_channel.h"
#include "comm/transport/sealed_channel.h"

namespace ringlab {
namespace {

constexpr size_t kUnproved = 16;       ///< maximum number of connections without a proof
constexpr double kProofSeconds = 5;    ///< time limit of the proof
constexpr int kBacklog = 32;
constexpr uint64_t kMaxBytes = uint64_t{1} << 39;  ///< maximum of one probe

/// A connection that has not yet sent its whole proof.
struct Unproved {
  Socket socket;
  ServerHandshake handshake;
  std::string answer;
  double deadline;
};

/// Reads what has arrived of the proof. False if the connection must be closed.
bool read_answer(Unproved& connection) {
  char bytes[kAnswerBytes];
  const ssize_t got = recv(connection.socket.fd(), bytes, kAnswerBytes - connection.answer.size(), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  connection.answer.append(bytes, static_cast<size_t>(got));
  return got > 0;
}

/// Greeting or reply: always fits into an empty send buffer.
bool send_now(const Socket& socket, const std::string& text) { return send(socket.fd(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(text.size()); }

class Door {
 public:
  explicit Door(const ProbeListening& settings) : settings_(settings), listener_(listen_on(settings.endpoint, kBacklog)) {}

  /// The next authenticated connection. Throws Stopped.
  Socket next() {
    while (true) {
      if (stop_requested()) throw Stopped();
      std::vector<pollfd> waits{{listener_.fd(), POLLIN, 0}};
      for (const auto& connection : unproved_) waits.push_back({connection.socket.fd(), POLLIN, 0});
      const int ready = poll(waits.data(), waits.size(), 100);
      // Pending proofs first: a flood of new connections must not displace one that is about to finish.
      for (size_t i = unproved_.size(); i-- > 0;) {
        if (ready > 0 && waits[i + 1].revents != 0) {
          if (auto socket = hear(i)) return std::move(*socket);
        } else if (steady_seconds() > unproved_[i].deadline) {
          drop(i);
        }
      }
      if (ready > 0 && waits[0].revents != 0) admit();
    }
  }

 private:
  void drop(size_t index) { unproved_.erase(unproved_.begin() + static_cast<std::ptrdiff_t>(index)); }

  void admit() {
    Socket socket(accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.valid()) {
      // Out of descriptors: the connection stays in the backlog; retrying at once would use a whole core.
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return;
    }
    const int on = 1;
    setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Unproved connection{std::move(socket), ServerHandshake(settings_.secret), {}, steady_seconds() + kProofSeconds};
    if (!send_now(connection.socket, connection.handshake.greeting())) return;
    if (unproved_.size() >= kUnproved) drop(0);
    unproved_.push_back(std::move(connection));
  }

  std::optional<Socket> hear(size_t index) {
    Unproved& connection = unproved_[index];
    if (!read_answer(connection)) {
      drop(index);
      return std::nullopt;
    }
    if (connection.answer.size() < kAnswerBytes) return std::nullopt;
    std::string reply;
    Verdict verdict{};
    const bool proved = connection.handshake.judge(connection.answer, reply, verdict).has_value();
    const bool said = reply.empty() || send_now(connection.socket, reply);
    Socket socket = std::move(connection.socket);
    drop(index);
    if (!proved || !said) return std::nullopt;
    return socket;
  }

  const ProbeListening& settings_;
  Socket listener_;
  std::vector<Unproved> unproved_;  ///< oldest first
};

void serve(ProbeChannel channel) {
  char letter = 0;
  while (channel.receive(&letter, 1)) {
    if (letter == 'P') {
      channel.send("P", 1);
      continue;
    }
    uint64_t size = 0;
    if (letter != 'U' && letter != 'D') throw Failure(ErrorCode::peer_lost, "probe: the other side sends a request that is not a measurement");
    channel.expect(&size, sizeof size);
    if (size > kMaxPieceBytes) throw Failure(ErrorCode::peer_lost, "probe: the other side asks for more bytes than a probe moves");
    channel.move(size, letter == 'D');
    if (letter == 'U') channel.send("A", 1);
  }
}

}  // namespace

int listen_for_probes(const ProbeListening& settings) {
  Door door(settings);
  std::printf("listening on %s\n", settings.endpoint.str().c_str());
  std::fflush(stdout);
  // Round trips, then pieces that grow until one takes long enough, in both directions; slow links get a smaller first piece.
  const double longest = 10 * settings.seconds + 20;
  for (int served = 0; served < settings.probes; ++served) {
    Socket socket = door.next();
    try {
      serve(ProbeChannel(std::move(socket), steady_seconds() + longest, kMaxBytes));
    } catch (const Failure& failure) {
      // A failed probe does not end the others.
      if (settings.probes == 1) throw;
      std::fprintf(stderr, "%s\n", failure.what());
    }
  }
  return 0;
}

}  // namespace ringlab
