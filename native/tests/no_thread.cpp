// Preloaded: the next thread that the process starts is refused, as by a limit of its container, once the file RINGLAB_TEST_NO_THREAD_FILE is there, which is then removed.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) noexcept {
  const char* file = std::getenv("RINGLAB_TEST_NO_THREAD_FILE");
  if (file != nullptr && unlink(file) == 0) return EAGAIN;
  return reinterpret_cast<decltype(pthread_create)*>(dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, start, argument);
}
