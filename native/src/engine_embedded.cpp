// Loads the engine from the executable itself: through a file in memory or, where that may not be executed, one without a name.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "comm/transport/net.h"
#include "src/engine.h"

// The whole file libringlab_engine.so, read-only data of this executable: its pages are read when they are copied.
__asm__(
    ".pushsection .ringlab_engine, \"a\"\n"
    ".balign 64\n"
    ".globl ringlab_engine_begin\n.hidden ringlab_engine_begin\n"
    "ringlab_engine_begin:\n"
    ".incbin \"" RINGLAB_ENGINE_FILE
    "\"\n"
    ".globl ringlab_engine_end\n.hidden ringlab_engine_end\n"
    "ringlab_engine_end:\n"
    ".popsection\n");

extern "C" {
extern const char ringlab_engine_begin[] __attribute__((visibility("hidden")));
extern const char ringlab_engine_end[] __attribute__((visibility("hidden")));
}

namespace ringlab {
namespace {

/// Writes the library into the file. On failure false, with the reason in errno.
bool fill(int fd) {
  const char* at = ringlab_engine_begin;
  while (at < ringlab_engine_end) {
    const ssize_t count = write(fd, at, static_cast<size_t>(ringlab_engine_end - at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
  }
  return true;
}

/// An anonymous file in memory, sealed: its content cannot change before it is loaded.
Socket in_memory() {
  Socket file(memfd_create("ringlab-engine", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid() || !fill(file.fd())) return Socket();
  fcntl(file.fd(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return file;
}

/// A file without a name in `folder`, readable only for this user.
Socket in_folder(const std::string& folder) {
  if (folder.empty()) return Socket();
  Socket file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, S_IRWXU));
  if (!file.valid()) {
    // Not supported by all file systems, such as NFS and old overlays.
    std::string name = folder + "/.ringlab-engine-XXXXXX";
    file = Socket(mkostemp(name.data(), O_CLOEXEC));
    if (!file.valid()) return Socket();
    unlink(name.c_str());
  }
  return fill(file.fd()) ? std::move(file) : Socket();
}

/// If anonymous memory may not be executed (vm.memfd_noexec, a stricter policy): the executable's own folder is not mounted
/// noexec, the others rarely are.
std::vector<std::string> folders() {
  std::error_code failed;
  std::vector<std::string> result{std::filesystem::read_symlink("/proc/self/exe", failed).parent_path().string()};
  for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    if (const char* folder = std::getenv(name)) result.emplace_back(folder);
  }
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm"}) result.emplace_back(folder);
  return result;
}

/// Restores what this process does on a signal when its scope ends: UCX, which Debian's libtorch 2.6 needs for MPI, takes
/// SIGHUP when it is loaded.
class KeptSignals {
 public:
  KeptSignals() {
    for (size_t i = 0; i < kNumbers.size(); ++i) sigaction(kNumbers[i], nullptr, &before_[i]);
  }
  ~KeptSignals() {
    for (size_t i = 0; i < kNumbers.size(); ++i) sigaction(kNumbers[i], &before_[i], nullptr);
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr std::array kNumbers = {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGXFSZ};
  std::array<struct sigaction, kNumbers.size()> before_{};
};

/// RTLD_GLOBAL, as for an executable linked with libtorch: MKL looks up its own symbols there.
void* load_file(const Socket& file) {
  const KeptSignals kept;
  return dlopen(("/proc/self/fd/" + std::to_string(file.fd())).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

/// The kernel or its policy refused to execute the file; missing libraries are another error.
bool is_denied(const std::string& words) { return words.find("failed to map segment") != std::string::npos || words.find("cannot open shared object file: Permission denied") != std::string::npos; }

[[noreturn]] void refuse(const std::string& why, const std::string& hint) {
  throw Failure(ErrorCode::backend_missing, "libtorch cannot be loaded: " + why, hint);
}

void* load() {
  std::string why = "no place to put the engine";
  const auto attempt = [&why](const Socket& file) -> void* {
    if (!file.valid()) return nullptr;
    void* handle = load_file(file);
    if (handle != nullptr) return handle;
    why = dlerror();
    if (!is_denied(why)) refuse(why, "install libtorch, or put its folder into LD_LIBRARY_PATH");
    return nullptr;
  };
  if (void* handle = attempt(in_memory())) return handle;
  for (const auto& folder : folders()) {
    if (void* handle = attempt(in_folder(folder))) return handle;
  }
  refuse(why, "set TMPDIR to a folder whose file system allows programs to be executed");
}

}  // namespace

const Engine& engine() {
  // Never unloaded: libtorch's threads and the destructors of its statics need it until the exit.
  static const Engine& table = [] {
    void* entry = dlsym(load(), "ringlab_engine");
    if (entry == nullptr) refuse(dlerror(), "build the trainer again");
    return std::cref(*reinterpret_cast<const Engine* (*)()>(entry)());
  }();
  return table;
}

void write_engine(const std::string& path) {
  const auto size = static_cast<size_t>(ringlab_engine_end - ringlab_engine_begin);
  AtomicFile file(path, size);
  file.write(ringlab_engine_begin, size);
  file.commit();
}

}  // namespace ringlab
