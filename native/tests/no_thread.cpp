// Preloaded: threads that the process starts are refused, as by a limit of its container:
// - RINGLAB_TEST_NO_THREAD_FILE: the next one, once that file is there, which is then removed;
// - RINGLAB_TEST_THREADS: those above n at a time, the main thread included. Each of the others begins half a second late, so that it has not
//   ended before the next one is started, however slow the machine is.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>

namespace {

constexpr useconds_t kLateMicroseconds = 500'000;

/// Counted here: /proc/self/task still has some that were joined.
std::atomic<int> threads{1};

struct Work {
  void* (*start)(void*);
  void* argument;
};

void* counted(void* given) {
  const std::unique_ptr<Work> work(static_cast<Work*>(given));
  usleep(kLateMicroseconds);
  void* result = work->start(work->argument);
  --threads;
  return result;
}

int number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) noexcept {
  const auto create = reinterpret_cast<decltype(pthread_create)*>(dlsym(RTLD_NEXT, "pthread_create"));
  const char* file = std::getenv("RINGLAB_TEST_NO_THREAD_FILE");
  if (file != nullptr && unlink(file) == 0) return EAGAIN;
  const int most = number_of("RINGLAB_TEST_THREADS");
  if (most == 0) return create(thread, attributes, start, argument);
  if (threads.fetch_add(1) >= most) {
    --threads;
    return EAGAIN;
  }
  auto work = std::make_unique<Work>(Work{start, argument});
  const int error = create(thread, attributes, counted, work.get());
  if (error != 0) --threads;
  else static_cast<void>(work.release());
  return error;
}
