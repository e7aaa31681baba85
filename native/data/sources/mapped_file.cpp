#include "data/sources/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/error.h"

namespace ringlab {
namespace {

/// One mapping, as the signal's handler reads it: without locks or memory of the heap.
struct Watched {
  std::atomic<const uint8_t*> from{nullptr};
  std::atomic<uint64_t> size{0};
  std::array<char, 4608> text{};  ///< the line that it writes: a path has at most 4096 bytes
};
/// A run has two packs.
std::array<Watched, 8> watched;
std::mutex adding;

void on_bus_error(int number, siginfo_t* info, void*) {
  const auto* at = static_cast<const uint8_t*>(info->si_addr);
  for (const auto& one : watched) {
    const uint8_t* from = one.from.load();
    if (from == nullptr || at < from || at >= from + one.size.load()) continue;
    const ssize_t ignored = write(STDERR_FILENO, one.text.data(), strlen(one.text.data()));
    (void)ignored;
    _exit(exit_code_of(ErrorCode::bad_data));
  }
  // Not of a mapping of ours: it ends the process as it would have without this handler.
  signal(number, SIG_DFL);
  raise(number);
}

/// Where all places are taken the signal ends the process without a line.
Watched* watch(const std::string& path, const uint8_t* from, uint64_t size) {
  const std::lock_guard lock(adding);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
  for (auto& one : watched) {
    if (one.from.load() != nullptr) continue;
    const std::string line = "ringlab-train: error: " + path + ": became shorter or cannot be read any more, while it was in use (copy it again, to another name first; check the disk)\n";
    one.text[line.copy(one.text.data(), one.text.size() - 1)] = '\0';
    one.size = size;
    one.from = from;
    return &one;
  }
  return nullptr;
}

[[noreturn]] void bad_file(const std::string& path, const std::string& what, const std::string& hint) { throw std::move(Failure(ErrorCode::bad_data, path + ": " + what, hint).at_path(path)); }

}  // namespace

MappedFile::MappedFile(const std::string& path, uint64_t least, const std::string& too_short) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) bad_file(path, std::strerror(errno), "check that it is there and may be read");
  struct stat info {};
  const bool known = fstat(fd, &info) == 0;
  size_ = known ? static_cast<uint64_t>(info.st_size) : 0;
  void* memory = size_ > 0 ? mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
  const int error = errno;
  close(fd);
  if (size_ >= least && memory == MAP_FAILED) bad_file(path, std::string("cannot be mapped: ") + std::strerror(error), "check that it is a file, and the limit on memory (ulimit -v)");
  if (memory != MAP_FAILED) {
    const auto* from = static_cast<const uint8_t*>(memory);
    bytes_ = {from, [size = size_, place = watch(path, from, size_)](const uint8_t* at) {
                if (place != nullptr) place->from = nullptr;
                munmap(const_cast<uint8_t*>(at), size);
              }};
  }
  if (size_ < least) bad_file(path, too_short, "make it again: ringlab-train pack DIR");
}

}  // namespace ringlab
