// Preloaded: threads that the process starts are refused, as by a limit of its container:
// - RINGLAB_TEST_NO_THREAD_FILE: the next one, once that file is there, which is then removed;
// - RINGLAB_TEST_THREADS: those above n at a time, the main thread included.
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace {

int number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

int threads_now() {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  int count = 0;
  while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] == '.' ? 0 : 1;
  closedir(tasks);
  return count;
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) noexcept {
  const char* file = std::getenv("RINGLAB_TEST_NO_THREAD_FILE");
  if (file != nullptr && unlink(file) == 0) return EAGAIN;
  const int most = number_of("RINGLAB_TEST_THREADS");
  if (most > 0 && threads_now() >= most) return EAGAIN;
  return reinterpret_cast<decltype(pthread_create)*>(dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, start, argument);
}
