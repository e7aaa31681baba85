#include "comm/transport/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "base/error.h"

namespace ringlab {
namespace {

/// More are not asked for: some programs close every number below the limit before they start another one, and a hard limit may be a thousand million.
constexpr rlim_t kEnough = 65536;

size_t open_now() {
  std::error_code failed;
  const std::filesystem::directory_iterator numbers("/proc/self/fd", failed);
  return failed ? 0 : static_cast<size_t>(std::distance(begin(numbers), end(numbers)));
}

}  // namespace

void make_room_for_descriptors(size_t more, const std::string& who) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t needed = open_now() + more;
  const rlim_t wanted = std::min(limit.rlim_max, std::max(kEnough, needed));
  if (limit.rlim_cur < wanted) {
    const rlimit raised{wanted, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  if (limit.rlim_cur >= needed) return;
  const std::string most = std::to_string(limit.rlim_cur);
  // In the system's words, by which the app finds the cause.
  throw Failure(ErrorCode::internal, "Too many open files: " + who + " needs " + std::to_string(needed) + " file descriptors, and the limit of this process is " + most,
                "raise the hard limit on this machine (`ulimit -Hn`, /etc/security/limits.conf, LimitNOFILE= of a service, a container's `--ulimit nofile`), or start fewer ranks");
}

}  // namespace ringlab
