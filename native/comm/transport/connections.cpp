#include "comm/transport/connections.h"

#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>

#include "base/error.h"

namespace ringlab {
namespace {

Endpoint end_of(const sockaddr_storage& address, socklen_t length) {
  if (address.ss_family != AF_INET && address.ss_family != AF_INET6) return {};
  const auto port = address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port : reinterpret_cast<const sockaddr_in*>(&address)->sin_port;
  return {numeric_address(address, length), ntohs(port)};
}

/// The numbers of this process's descriptors, but for that of the list itself.
std::vector<int> open_descriptors() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), &closedir);
  if (!folder) throw Failure(ErrorCode::internal, std::string("cannot list this process's descriptors: ") + std::strerror(errno));
  std::vector<int> numbers;
  while (const dirent* entry = readdir(folder.get())) {
    if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != dirfd(folder.get())) numbers.push_back(std::atoi(entry->d_name));
  }
  return numbers;
}

bool is_event_loop(int number) {
  char target[64] = {};
  return readlink(("/proc/self/fd/" + std::to_string(number)).c_str(), target, sizeof target - 1) > 0 && std::strcmp(target, "anon_inode:[eventpoll]") == 0;
}

/// Calls `visit` with a duplicate of each descriptor of a connected TCP socket, and the file that it is.
void each_connection(const std::function<void(Socket, const std::pair<uint64_t, uint64_t>&)>& visit) {
  for (const int number : open_descriptors()) {
    struct stat file {};
    if (fstat(number, &file) != 0 || !S_ISSOCK(file.st_mode)) continue;
    // A duplicate: the descriptor may be closed, and its number used again, at any time.
    Socket socket(fcntl(number, F_DUPFD_CLOEXEC, 0));
    struct stat own {};
    if (!socket.valid() || fstat(socket.fd(), &own) != 0 || own.st_ino != file.st_ino) continue;
    if (remote_end(socket).port != 0) visit(std::move(socket), {own.st_dev, own.st_ino});
  }
}

}  // namespace

Endpoint local_end(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  return getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &length) == 0 ? end_of(address, length) : Endpoint{};
}

Endpoint remote_end(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  return getpeername(socket.fd(), reinterpret_cast<sockaddr*>(&address), &length) == 0 ? end_of(address, length) : Endpoint{};
}

Socket reserve_port(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int resolved = getaddrinfo(host.c_str(), "0", &hints, &found);
  if (resolved != 0) throw Failure(ErrorCode::address_not_local, "cannot resolve " + host + ": " + gai_strerror(resolved));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, &freeaddrinfo);
  Socket socket(::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!socket.valid() || bind(socket.fd(), list->ai_addr, list->ai_addrlen) != 0) {
    throw Failure(errno == EADDRNOTAVAIL ? ErrorCode::address_not_local : ErrorCode::internal, "no port can be reserved on " + host + ": " + std::strerror(errno));
  }
  return socket;
}

Connections::Known Connections::open_now() {
  Known known;
  each_connection([&known](const Socket&, const std::pair<uint64_t, uint64_t>& file) { known.insert(file); });
  return known;
}

Connections::Connections(const Known& before, const std::function<bool(const Socket&)>& excepted) {
  Known taken = before;
  each_connection([&](Socket socket, const std::pair<uint64_t, uint64_t>& file) {
    if (!taken.insert(file).second || excepted(socket)) return;
    sockets_.push_back(std::move(socket));
  });
}

void Connections::shut_down() const {
  for (const auto& socket : sockets_) shutdown(socket.fd(), SHUT_RDWR);
}

void Connections::end_events() const {
  Known ours;
  for (const auto& socket : sockets_) {
    struct stat file {};
    if (fstat(socket.fd(), &file) == 0) ours.emplace(file.st_dev, file.st_ino);
  }
  const std::vector<int> numbers = open_descriptors();
  std::vector<int> loops;
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(loops), is_event_loop);
  for (const int number : numbers) {
    struct stat file {};
    if (fstat(number, &file) != 0 || ours.count({file.st_dev, file.st_ino}) == 0) continue;
    for (const int loop : loops) epoll_ctl(loop, EPOLL_CTL_DEL, number, nullptr);  // of most it is not a part
  }
}

}  // namespace ringlab
