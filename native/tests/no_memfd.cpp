// Preloaded: a kernel whose policy allows no executable memory without a name (vm.memfd_noexec=2).
#include <cerrno>

extern "C" int memfd_create(const char*, unsigned int) {
  errno = EACCES;
  return -1;
}
