#include "data/formats/image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

namespace ringlab {

void check_pixels(const char* format, int64_t width, int64_t height) {
  if (width <= 0 || height <= 0) throw BrokenImage(std::string(format) + ": its header claims no pixels");
  if (width > kMaxEdge || height > kMaxEdge) {
    throw BrokenImage(std::string(format) + ": its header claims " + std::to_string(width) + " x " + std::to_string(height) + " pixels; at most " + std::to_string(kMaxEdge) + " are read along an edge");
  }
  if (height <= kMaxPixels / width) return;
  throw BrokenImage(std::string(format) + ": its header claims " + std::to_string(width) + " x " + std::to_string(height) + " pixels; at most " + std::to_string(kMaxPixels) + " are read");
}

std::vector<uint8_t> read_file_bytes(const std::string& path) {
  // Does not block on a FIFO or device.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) throw BrokenImage(std::strerror(errno));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(fdopen(descriptor, "rb"), &std::fclose);
  struct stat status {};
  if (!file) {
    close(descriptor);
    throw std::bad_alloc();
  }
  if (fstat(descriptor, &status) != 0) throw BrokenImage(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw BrokenImage("is not a regular file");
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size > kMaxFileBytes) throw BrokenImage("the file has " + std::to_string(size) + " bytes; at most " + std::to_string(kMaxFileBytes) + " are read");
  std::vector<uint8_t> bytes(size);
  const size_t got = std::fread(bytes.data(), 1, bytes.size(), file.get());
  if (std::ferror(file.get()) != 0) throw BrokenImage(std::strerror(errno));
  bytes.resize(got);
  return bytes;
}

}  // namespace ringlab
