#include "link/tap.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace ringlab {
namespace {

[[noreturn]] void refuse(const std::string& what, int error) { throw Failure(ErrorCode::usage, "link: " + what + ": " + std::strerror(error)); }

Descriptor open_file(const std::string& path, int flags) {
  Descriptor file(open(path.c_str(), flags | O_CLOEXEC));
  if (!file) refuse(path, errno);
  return file;
}

/// This thread is in another namespace for as long as this lives.
class Inside {
 public:
  explicit Inside(const std::string& space) : home_(open_file("/proc/thread-self/ns/net", O_RDONLY)) {
    const Descriptor there = open_file("/run/netns/" + space, O_RDONLY);
    if (setns(there.number(), CLONE_NEWNET) != 0) refuse("namespace " + space, errno);
  }
  /// It came from there, so it may go back.
  ~Inside() { static_cast<void>(setns(home_.number(), CLONE_NEWNET)); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Descriptor home_;
};

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  const Descriptor before(std::exchange(number_, std::exchange(other.number_, -1)));
  return *this;
}

Descriptor open_tap(const std::string& space, const std::string& name) {
  const Inside inside(space);
  const std::string what = "device " + name + " in " + space;
  // TUNSETIFF would make one.
  if (if_nametoindex(name.c_str()) == 0) refuse(what, errno);
  Descriptor tap = open_file("/dev/net/tun", O_RDWR | O_NONBLOCK);
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  if (ioctl(tap.number(), TUNSETIFF, &request) != 0) refuse(what, errno);
  return tap;
}

bool is_attached(const Descriptor& tap) {
  ifreq request{};
  return ioctl(tap.number(), TUNGETIFF, &request) == 0;
}

}  // namespace ringlab
