// Preloaded: the process gets a signal in a call of the C library, once a file is there. RINGLAB_TEST_SIGNAL is its number, RINGLAB_TEST_SIGNAL_FILE the file, and RINGLAB_TEST_SIGNAL_IN the call:
// "listen", half a second after its begin, or the text in what is written or sent.
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

namespace {

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void signal_in(std::string_view call) {
  const std::string_view wanted = variable("RINGLAB_TEST_SIGNAL_IN");
  if (wanted.empty() || call.find(wanted) == std::string_view::npos || access(variable("RINGLAB_TEST_SIGNAL_FILE"), F_OK) != 0) return;
  // The other threads still answer those that are about to connect.
  if (call == "listen") usleep(500000);
  kill(getpid(), std::atoi(variable("RINGLAB_TEST_SIGNAL")));
}

}  // namespace

extern "C" int listen(int socket, int backlog) noexcept {
  signal_in("listen");
  return next<decltype(listen)>("listen")(socket, backlog);
}

extern "C" ssize_t write(int file, const void* bytes, size_t count) {
  signal_in({static_cast<const char*>(bytes), count});
  return next<decltype(write)>("write")(file, bytes, count);
}

extern "C" ssize_t send(int socket, const void* bytes, size_t count, int flags) {
  signal_in({static_cast<const char*>(bytes), count});
  return next<decltype(send)>("send")(socket, bytes, count, flags);
}
