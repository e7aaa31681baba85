#include "comm/probe/probe_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/stop_signal.h"
#include "comm/transport/sealed_channel.h"

namespace ringlab {
namespace {

constexpr size_t kChunk = size_t{64} << 10;
constexpr double kPatience = 10;  ///< seconds without data after which the other side is given up

[[noreturn]] void lost(const std::string& what) { throw Failure(ErrorCode::peer_lost, "probe: " + what); }

}  // namespace

ProbeChannel::ProbeChannel(Socket socket, double deadline, uint64_t max_bytes) : socket_(std::move(socket)), deadline_(deadline), left_(max_bytes) {}

void ProbeChannel::wait_for(short events) const {
  pollfd wait{socket_.fd(), events, 0};
  const double begin = steady_seconds();
  while (true) {
    if (stop_requested()) throw Stopped();
    if (poll(&wait, 1, 100) > 0) return;
    const double now = steady_seconds();
    if (now > deadline_) lost("it took longer than this side allows (--seconds)");
    if (now - begin > kPatience) lost("the other side is silent");
  }
}

void ProbeChannel::count(uint64_t size) {
  if (size > left_) lost("more bytes than a probe moves");
  left_ -= size;
  if (steady_seconds() > deadline_) lost("it took longer than this side allows (--seconds)");
}

void ProbeChannel::send(const void* data, size_t size) {
  count(size);
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    wait_for(POLLOUT);
    const ssize_t sent = ::send(socket_.fd(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (sent <= 0) lost(std::strerror(errno));
    bytes += sent;
    size -= static_cast<size_t>(sent);
  }
}

bool ProbeChannel::receive(void* data, size_t size) {
  count(size);
  auto* bytes = static_cast<char*>(data);
  size_t left = size;
  while (left > 0) {
    wait_for(POLLIN);
    const ssize_t got = recv(socket_.fd(), bytes, left, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got == 0 && left == size) return false;
    if (got <= 0) lost("the connection broke");
    bytes += got;
    left -= static_cast<size_t>(got);
  }
  return true;
}

void ProbeChannel::expect(void* data, size_t size) {
  if (!receive(data, size)) lost("the other side closed the connection");
}

void ProbeChannel::move(uint64_t size, bool sending) {
  std::array<char, kChunk> chunk{};
  while (size > 0) {
    const auto part = static_cast<size_t>(std::min<uint64_t>(size, chunk.size()));
    sending ? send(chunk.data(), part) : expect(chunk.data(), part);
    size -= part;
  }
}

void prove_probe(ProbeChannel& channel, const RunSecret& secret) {
  std::string greeting(kGreetingBytes, '\0');
  channel.expect(greeting.data(), greeting.size());
  const ClientHandshake handshake(secret, greeting);
  if (!handshake.is_ours()) lost("the other side is no probe of this version");
  const auto refuse = [](Verdict verdict) {
    if (verdict == Verdict::wants_secret) throw Failure(ErrorCode::peer_disagrees, "probe: the other side has a secret", "give the file that holds it: --secret-file FILE");
    if (verdict == Verdict::has_no_secret) throw Failure(ErrorCode::peer_disagrees, "probe: the other side has no secret", "start it with the same --secret-file, or both without one");
    throw Failure(ErrorCode::peer_disagrees, "probe: the other side has another secret", "start both with the same --secret-file");
  };
  if (const auto verdict = handshake.mismatch()) refuse(*verdict);
  channel.send(handshake.answer().data(), handshake.answer().size());
  std::string welcome(kWelcomeBytes, '\0');
  channel.expect(welcome.data(), welcome.size());
  Verdict verdict{};
  if (!handshake.judge(welcome, verdict)) refuse(verdict);
}

}  // namespace ringlab
