#include "base/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace ringlab {
namespace {

/// Bytes of memory in this machine: files that claim more are not read.
uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) : UINT64_MAX;
}

/// Closes the descriptor at the end of its scope.
struct Descriptor {
  explicit Descriptor(int number) : fd(number) {}
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int fd;
};

}  // namespace

FileBytes read_whole_file(const std::string& path) {
  // Without O_NONBLOCK opening a FIFO would wait for a writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.fd < 0) throw FileError(std::strerror(errno));
  struct stat info {};
  const bool regular = fstat(file.fd, &info) == 0 && S_ISREG(info.st_mode);
  if (!regular || info.st_size == 0) throw FileError(regular ? "the file is empty" : "is not a file");
  const auto size = static_cast<uint64_t>(info.st_size);
  if (size > physical_memory()) throw FileError("is larger than this machine's memory");
  // Read, not mapped: a mapped file that is truncated kills the process with SIGBUS.
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  const std::shared_ptr<const void> owner(memory, [size](const void* at) { munmap(const_cast<void*>(at), size); });
  uint64_t got = 0;
  while (got < size) {
    const ssize_t count = ::read(file.fd, static_cast<char*>(memory) + got, size - got);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    got += static_cast<uint64_t>(count);
  }
  if (got != size) throw FileError("the file could not be read to its end");
  return {owner, static_cast<const uint8_t*>(memory), size};
}

}  // namespace ringlab
