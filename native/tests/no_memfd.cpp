// Preloaded: simulates a policy that forbids executable anonymous memory (vm.memfd_noexec=2).
#include <cerrno>

extern "C" int memfd_create(const char*, unsigned int) {
  errno = EACCES;
  return -1;
}
