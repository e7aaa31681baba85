// Preloaded: simulates that the machine's clock is set. RINGLAB_TEST_CLOCK names a file with the seconds by which it is wrong; as long as there is none it is right.
#include <dlfcn.h>
#include <sys/time.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

time_t wrong_by() {
  const char* path = std::getenv("RINGLAB_TEST_CLOCK");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "r");
  if (file == nullptr) return 0;
  long seconds = 0;
  if (std::fscanf(file, "%ld", &seconds) != 1) seconds = 0;
  std::fclose(file);
  return seconds;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto real = reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += wrong_by();
  return result;
}

extern "C" int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

extern "C" time_t time(time_t* into) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}
