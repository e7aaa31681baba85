#include "comm/store/store_server.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "comm/transport/sealed_channel.h"

namespace ringlab {
namespace {

/// Maximum accepted per turn, so that a flood does not delay the ranks.
constexpr int kAcceptsATurn = 16;

const char* words(Verdict verdict) {
  switch (verdict) {
    case Verdict::wants_secret: return "it has no secret, and this run has one";
    case Verdict::has_no_secret: return "it has a secret, and this run has none";
    default: return "its secret is another one";
  }
}

void make_nonblocking(const Socket& socket) { fcntl(socket.fd(), F_SETFL, fcntl(socket.fd(), F_GETFL) | O_NONBLOCK); }

}  // namespace

struct StoreServer::Connection {
  Connection(Socket its_socket, std::string its_address, const RunSecret& secret)
      : socket(std::move(its_socket)), address(std::move(its_address)), since(steady_seconds()), handshake(secret), out(handshake.greeting()) {}
  bool proved() const { return seals.has_value(); }

  Socket socket;
  std::string address;  ///< "" for this process's own connection
  double since;
  ServerHandshake handshake;
  std::optional<SealPair> seals;
  std::string in;
  std::string out;
  std::optional<StoreTable::Wait> waits;
  double waits_until = 0;
  bool ending = false;  ///< closed after `out` is sent
};

StoreServer::StoreServer(ServerSettings settings) : settings_(std::move(settings)), table_(settings_.limits), alarm_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!alarm_.valid()) throw Failure(ErrorCode::internal, std::string("no eventfd: ") + std::strerror(errno));
  listeners_ = listen_on_all(settings_.endpoint, 256);
  for (const auto& listener : listeners_) make_nonblocking(listener);
  port_ = local_port(listeners_.front());
  for (const auto& peer : settings_.peers) {
    const auto addresses = numeric_addresses(peer);
    peers_.insert(peers_.end(), addresses.begin(), addresses.end());
  }
  thread_ = std::thread([this] { serve(); });
}

StoreServer::~StoreServer() {
  closing_ = true;
  wake();
  thread_.join();
}

void StoreServer::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = write(alarm_.fd(), &one, sizeof one);  // if full, poll() wakes anyway
}

Socket StoreServer::connect_here() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw Failure(ErrorCode::internal, std::string("no socket pair: ") + std::strerror(errno));
  Socket theirs(ends[0]);
  Socket ours(ends[1]);
  make_nonblocking(ours);
  {
    const std::lock_guard lock(mutex_);
    brought_.push_back(std::move(ours));
  }
  wake();
  return theirs;
}

void StoreServer::close_port() {
  if (!port_closed_.exchange(true)) wake();
}

Refusals StoreServer::refusals() const {
  const std::lock_guard lock(mutex_);
  return refusals_;
}

void StoreServer::refused(const std::string& address, const std::string& why) {
  const std::lock_guard lock(mutex_);
  ++refusals_.count;
  refusals_.last = address + ": " + why;
}

void StoreServer::adopt() {
  const std::lock_guard lock(mutex_);
  for (auto& socket : brought_) connections_.push_back(std::make_unique<Connection>(std::move(socket), "", settings_.secret));
  brought_.clear();
}

/// A flood must not exclude a rank, which authenticates within one round trip: the oldest connection without a proof is
/// closed.
void StoreServer::make_room(const std::string& address) {
  size_t all = 0;
  size_t same = 0;
  auto oldest = connections_.end();
  auto oldest_same = connections_.end();
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if ((*it)->proved() || (*it)->address.empty()) continue;
    ++all;
    if (oldest == connections_.end()) oldest = it;
    if ((*it)->address != address) continue;
    ++same;
    if (oldest_same == connections_.end()) oldest_same = it;
  }
  const auto victim = same >= settings_.unproved_each ? oldest_same : all >= settings_.unproved ? oldest : connections_.end();
  if (victim == connections_.end()) return;
  refused((*victim)->address, "it did not prove that it knows the secret while others connected");
  connections_.erase(victim);
}

void StoreServer::take_from(const Socket& listener) {
  for (int i = 0; i < kAcceptsATurn; ++i) {
    sockaddr_storage from{};
    socklen_t length = sizeof from;
    Socket socket(accept4(listener.fd(), reinterpret_cast<sockaddr*>(&from), &length, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid()) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) accept_again_ = steady_seconds() + 0.1;
      return;
    }
    const std::string address = numeric_address(from, length);
    if (!settings_.peers.empty() && std::find(peers_.begin(), peers_.end(), address) == peers_.end()) {
      refused(address, "it is not among --peers");
      continue;
    }
    const int on = 1;
    setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    make_room(address);
    connections_.push_back(std::make_unique<Connection>(std::move(socket), address, settings_.secret));
    if (!flush(*connections_.back())) connections_.pop_back();
  }
}

void StoreServer::reply(Connection& connection, const std::string& payload) { connection.out += connection.seals->send.wrap(payload); }

bool StoreServer::flush(Connection& connection) {
  while (!connection.out.empty()) {
    const ssize_t count = send(connection.socket.fd(), connection.out.data(), connection.out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    connection.out.erase(0, static_cast<size_t>(count));
  }
  return !connection.ending;
}

/// Handles the answer of an unauthenticated connection. False: it gets no further reply.
bool StoreServer::prove(Connection& connection) {
  if (connection.in.size() < kAnswerBytes) return true;
  Verdict verdict{};
  std::string said;
  connection.seals = connection.handshake.judge(connection.in.substr(0, kAnswerBytes), said, verdict);
  connection.in.erase(0, kAnswerBytes);
  if (!connection.seals) {
    refused(connection.address, said.empty() ? "it does not speak the ranks' protocol" : words(verdict));
    connection.ending = true;
  }
  connection.out += said;
  return flush(connection);
}

/// One complete request, if there is one. False: the connection ends.
bool StoreServer::take_message(Connection& connection) {
  const std::string& in = connection.in;
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(in[i]);
  const std::string_view payload(in.data() + 4, size);
  if (!connection.seals->receive.accepts(payload, std::string_view(in.data() + 4 + size, kTagBytes))) {
    refused(connection.address, "a message was changed on its way");
    return false;
  }
  std::string answer;
  connection.waits = table_.answer(payload, answer);
  if (connection.waits) {
    constexpr int64_t kDay = 86'400'000;
    connection.waits_until = steady_seconds() + static_cast<double>(std::min(connection.waits->milliseconds, kDay)) / 1000;
  }
  connection.in.erase(0, 4 + size + kTagBytes);
  if (!connection.waits) reply(connection, answer);
  return flush(connection);
}

/// Is a complete message there? Sets `good` to false if its announced size is too large.
static bool has_message(const std::string& in, bool& good) {
  if (in.size() < 4) return false;
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(in[i]);
  good = size <= kMaxMessageBytes;
  return good && in.size() >= 4 + size + kTagBytes;
}

bool StoreServer::read_from(Connection& connection) {
  char buffer[16 << 10];
  // An unauthenticated connection may send its answer and nothing else.
  const size_t maximum = connection.proved() ? sizeof buffer : std::min(sizeof buffer, kAnswerBytes - connection.in.size());
  const ssize_t count = recv(connection.socket.fd(), buffer, maximum, MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (count == 0) return false;
  connection.in.append(buffer, static_cast<size_t>(count));
  if (!connection.proved()) return prove(connection);
  bool good = true;
  // A connection that waits for a reply, or does not read its replies, is not read from.
  while (!connection.waits && connection.out.empty() && has_message(connection.in, good)) {
    if (!take_message(connection)) return false;
  }
  if (!good) refused(connection.address, "a message is too large");
  return good && connection.in.size() <= 4 + kMaxMessageBytes + kTagBytes + sizeof buffer;
}

void StoreServer::wake_waiting(double time) {
  for (auto& connection : connections_) {
    if (!connection->waits) continue;
    const bool there = table_.has_all(connection->waits->keys);
    if (!there && time < connection->waits_until) continue;
    connection->waits.reset();
    reply(*connection, std::string(1, static_cast<char>(there ? StoreReply::yes : StoreReply::no)));
    if (!flush(*connection)) connection->ending = true;
  }
}

void StoreServer::serve() {
  std::vector<pollfd> polled;
  while (!closing_) {
    if (port_closed_) listeners_.clear();
    const double time = steady_seconds();
    double until = time + 60;
    polled.assign(1, {alarm_.fd(), POLLIN, 0});
    const bool accepting = time >= accept_again_;
    if (!accepting) until = accept_again_;
    for (const auto& listener : listeners_) polled.push_back({accepting ? listener.fd() : -1, POLLIN, 0});
    const size_t first = polled.size();
    for (const auto& connection : connections_) {
      const bool reads = connection->out.empty() && !connection->waits;
      // A waiting connection is still polled, to notice its end.
      polled.push_back({connection->socket.fd(), static_cast<short>((reads ? POLLIN : POLLRDHUP) | (connection->out.empty() ? 0 : POLLOUT)), 0});
      if (!connection->proved()) until = std::min(until, connection->since + settings_.proof_seconds);
      if (connection->waits) until = std::min(until, connection->waits_until);
    }
    const int milliseconds = static_cast<int>(std::max(0.0, std::min(60.0, until - time)) * 1000) + 1;
    if (poll(polled.data(), polled.size(), milliseconds) < 0 && errno != EINTR) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      continue;
    }
    if (polled[0].revents != 0) {
      uint64_t count = 0;
      [[maybe_unused]] const auto got = read(alarm_.fd(), &count, sizeof count);
    }
    const double later = steady_seconds();
    for (size_t i = 0; i < connections_.size(); ++i) {
      auto& connection = *connections_[i];
      const short events = polled[first + i].revents;
      bool goes_on = true;
      try {
        if ((events & POLLOUT) != 0) goes_on = flush(connection);
        if (goes_on && (events & POLLIN) != 0) goes_on = read_from(connection);
        else if ((events & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0) goes_on = false;
      } catch (const std::exception&) {  // no memory for its message: only this connection is closed
        goes_on = false;
      }
      if (goes_on && !connection.proved() && later - connection.since > settings_.proof_seconds) {
        if (!connection.address.empty()) refused(connection.address, "it did not prove in time that it knows the secret");
        goes_on = false;
      }
      if (!goes_on) connection.ending = true;
      if (!goes_on) connection.out.clear();
    }
    wake_waiting(later);
    connections_.erase(std::remove_if(connections_.begin(), connections_.end(), [](const auto& one) { return one->ending && one->out.empty(); }), connections_.end());
    adopt();
    for (size_t i = 0; i < listeners_.size(); ++i) {
      if ((polled[1 + i].revents & POLLIN) != 0 && !port_closed_) take_from(listeners_[i]);
    }
  }
}

}  // namespace ringlab
