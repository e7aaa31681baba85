#include "comm/store/socket_io.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"

namespace ringlab {

namespace {

constexpr double kLookSeconds = 0.5;  ///< between two looks at `give_up`

/// Waits for the socket; throws StoreError at the deadline, or when `give_up` says so.
void await(const Socket& socket, short events, double deadline, const std::function<bool()>& give_up) {
  while (true) {
    const double left = deadline - steady_seconds();
    if (left <= 0) throw StoreError("the store does not answer");
    if (give_up && give_up()) throw StoreError("the store is no longer asked");
    pollfd wait{socket.fd(), events, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min(left, give_up ? kLookSeconds : 3600.0) * 1000) + 1);
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) throw StoreError(std::strerror(errno));
  }
}

}  // namespace

void send_all(const Socket& socket, std::string_view bytes, double deadline, const std::function<bool()>& give_up) {
  while (!bytes.empty()) {
    const ssize_t count = send(socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      await(socket, POLLOUT, deadline, give_up);
    } else if (count < 0 && errno != EINTR) {
      throw StoreError(std::string("the store's connection broke: ") + std::strerror(errno));
    }
  }
}

std::string receive(const Socket& socket, size_t size, double deadline, const std::function<bool()>& give_up) {
  std::string bytes(size, '\0');
  size_t got = 0;
  while (got < size) {
    const ssize_t count = recv(socket.fd(), bytes.data() + got, size - got, MSG_DONTWAIT);
    if (count > 0) got += static_cast<size_t>(count);
    else if (count == 0) throw StoreError("the store closed the connection");
    else if (errno == EAGAIN || errno == EWOULDBLOCK) await(socket, POLLIN, deadline, give_up);
    else if (errno != EINTR) throw StoreError(std::string("the store's connection broke: ") + std::strerror(errno));
  }
  return bytes;
}

}  // namespace ringlab
