#include "link/link.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "base/error.h"
#include "link/link_switch.h"
#include "link/link_table.h"

namespace ringlab {
namespace {

constexpr size_t kMaxTable = size_t{16} << 20;
constexpr int kBacklog = 8;
/// A client is this program: it writes at once.
constexpr int kClientSeconds = 2;
/// Links are as urgent as the network that they stand for.
constexpr int kPriority = -10;

[[noreturn]] void fail(const std::string& what) { throw Failure(ErrorCode::internal, "link: " + what + ": " + std::strerror(errno)); }

std::string read_all(int number) {
  std::string text;
  char part[65'536];
  for (;;) {
    const ssize_t size = read(number, part, sizeof part);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail("read");
    if (size == 0) return text;
    text.append(part, static_cast<size_t>(size));
    if (text.size() > kMaxTable) throw Failure(ErrorCode::usage, "link: a table of more than 16 MiB");
  }
}

void write_all(int number, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t size = send(number, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail("send");
    done += static_cast<size_t>(size);
  }
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) throw Failure(ErrorCode::usage, "link: " + path + ": no path of a socket has so many letters");
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

/// Nothing where no process listens.
std::optional<Descriptor> connect_to(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) fail("socket");
  // sockaddr_un is passed as the interface asks.
  if (connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  if (errno == ENOENT || errno == ECONNREFUSED) return std::nullopt;
  fail(path);
}

Descriptor listen_at(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) fail("socket");
  // Left by a process that was killed: the lock says that none listens.
  unlink(path.c_str());
  const mode_t before = umask(0077);
  const int bound = bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  umask(before);
  if (bound != 0 || listen(socket.number(), kBacklog) != 0) fail(path);
  return socket;
}

/// Takes one table from a client, and answers 'ok' or why not.
void serve(LinkSwitch& links, int listener) {
  const Descriptor client(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!client) return;
  const timeval limit{kClientSeconds, 0};
  setsockopt(client.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(client.number(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  std::string answer = "ok";
  try {
    links.join(read_link_table(read_all(client.number())));
  } catch (const std::exception& error) {
    answer = error.what();
  }
  try {
    write_all(client.number(), answer);
  } catch (const Failure&) {
    // The client has gone; the table stands.
  }
}

/// Never returns: the rest of this process's life.
[[noreturn]] void run_in_background(LinkSwitch& links, const Descriptor& listener, const std::string& path, Descriptor lock) {
  // As long as a copy of it is open, no other call gets the lock.
  lock = Descriptor();
  setsid();
  [[maybe_unused]] const int moved = chdir("/");
  const Descriptor nowhere(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere.number(), standard);
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  setpriority(PRIO_PROCESS, 0, kPriority);
  try {
    while (links.links() > 0) {
      links.run(listener.number());
      if (links.links() > 0) serve(links, listener.number());
    }
  } catch (const std::exception&) {
    unlink(path.c_str());
    _exit(1);
  }
  unlink(path.c_str());
  _exit(0);
}

/// Of the folder of sockets: only one call at a time asks or becomes the process of a socket.
Descriptor lock(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  Descriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file) fail(folder);
  while (flock(file.number(), LOCK_EX) != 0) {
    if (errno != EINTR) fail(folder);
  }
  return file;
}

}  // namespace

int link_command(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) throw Failure(ErrorCode::usage, "link takes the path of its socket, and the table of links on standard input");
  const std::string& path = arguments.front();
  const std::string text = read_all(STDIN_FILENO);
  const std::vector<LinkRow> table = read_link_table(text);
  Descriptor held = lock(path);
  if (const auto running = connect_to(path)) {
    write_all(running->number(), text);
    shutdown(running->number(), SHUT_WR);
    const std::string answer = read_all(running->number());
    if (answer == "ok") return 0;
    // A process that ended in between has left nothing; its devices may be joined by a new one.
    if (!answer.empty()) throw Failure(ErrorCode::internal, answer);
  }
  if (table.empty()) return 0;
  LinkSwitch links;
  links.join(table);
  const Descriptor listener = listen_at(path);
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) run_in_background(links, listener, path, std::move(held));
  return 0;
}

}  // namespace ringlab
