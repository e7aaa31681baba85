#include "comm/transport/run_secret.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/sha256.h"
#include "comm/transport/net.h"

namespace ringlab {
namespace {

constexpr size_t kMinLength = 16;
constexpr size_t kMaxLength = 1024;

[[noreturn]] void refuse(const std::string& path, const std::string& what, const std::string& hint) {
  throw std::move(Failure(ErrorCode::usage, "--secret-file " + path + ": " + what, hint).at_path(path));
}

}  // namespace

RunSecret read_secret(const std::string& path) {
  const bool input = path == "-";
  // Does not wait for a FIFO's writer, and never becomes the controlling terminal.
  const Socket file(input ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) refuse(path, std::strerror(errno), "give the file that holds the run's secret");
  if (!input) {
    struct stat info {};
    if (fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode)) refuse(path, "is not a file", "give the file that holds the run's secret");
    if ((info.st_mode & 077) != 0) refuse(path, "other users may read it", "chmod 600 " + path);
    if (info.st_uid != geteuid() && geteuid() != 0) refuse(path, "belongs to another user", "give a file of your own");
  }
  std::string text;
  char part[256];
  while (text.size() <= kMaxLength && text.find('\n') == std::string::npos) {
    const ssize_t count = read(file.fd(), part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(path, std::strerror(errno), "give the file that holds the run's secret");
    if (count == 0) break;
    text.append(part, static_cast<size_t>(count));
  }
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
  if (text.size() < kMinLength) refuse(path, "a secret has at least " + std::to_string(kMinLength) + " characters", "make one: openssl rand -hex 32");
  if (text.size() > kMaxLength) refuse(path, "a secret has at most " + std::to_string(kMaxLength) + " characters", "make one: openssl rand -hex 32");
  return {std::move(text)};
}

std::string inheritable_secret() {
  const int fd = memfd_create("ringlab-secret", 0);  // not close-on-exec: inherited by the ranks that this process starts
  const std::string text = hexadecimal(random_bytes(32)) + "\n";
  if (fd < 0 || fchmod(fd, 0600) != 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw Failure(ErrorCode::internal, std::string("no file in memory for the run's secret: ") + std::strerror(errno));
  }
  return "/proc/self/fd/" + std::to_string(fd);
}

}  // namespace ringlab
