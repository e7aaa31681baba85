#include "base/stop_signal.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <memory>
#include <string>

namespace ringlab {
namespace {

constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP};
/// Two signals from one sender within this time count as one.
constexpr int64_t kOneRequestNanoseconds = 250'000'000;

std::atomic<int> first_signal{0};
std::atomic<int> second{0};
std::atomic<bool> ends_at_once{true};
std::atomic<const char*> announced{nullptr};  ///< announced effect of a signal; null: another process reports it to the user
std::atomic<int64_t> first_of_parent{0};  ///< monotonic nanoseconds; 0: none
std::atomic<int64_t> first_of_others{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free);

const char* name_of(int number) {
  switch (number) {
    case SIGTERM: return "SIGTERM";
    case SIGINT: return "SIGINT";
    case SIGHUP: return "SIGHUP";
    case SIGPIPE: return "SIGPIPE";
    case SIGKILL: return "SIGKILL";
    case SIGSEGV: return "SIGSEGV";
    case SIGABRT: return "SIGABRT";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    default: return nullptr;
  }
}

/// One line in one piece: other processes write to the same terminal or log. Async-signal-safe, as everything that on_signal() calls.
void announce(int number, const char* what) {
  std::array<char, 256> line{};
  size_t length = 0;
  for (const char* text : {"=> ", name_of(number), ": ", what, "; a second one ends at once\n"}) {
    for (; *text != '\0' && length < line.size(); ++text) line[length++] = *text;
  }
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, line.data(), length);
}

void on_signal(int number, siginfo_t* info, void*) {
  const int saved = errno;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const int64_t now = int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  // A terminal's signal comes from the kernel (si_code > 0): it has no sender.
  auto& first = info->si_code <= 0 && info->si_pid == getppid() ? first_of_parent : first_of_others;
  const int64_t before = first.load();
  int none = 0;
  const char* what = announced;
  if (first_signal.compare_exchange_strong(none, number) && what != nullptr) announce(number, what);
  if (before == 0) {
    first = now;
  } else if (now - before >= kOneRequestNanoseconds) {
    if (ends_at_once) _exit(128 + number);
    second = number;
  }
  errno = saved;
}

}  // namespace

void install_stop_signals() {
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int number : kSignals) sigaddset(&action.sa_mask, number);
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  for (const int number : kSignals) {
    struct sigaction before {};
    if (number == SIGHUP && sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void count_second_signal() { ends_at_once = false; }

void signals_of_a_rank() {
  announced = nullptr;
  ends_at_once = true;
}

int second_signal() { return second.load(); }
void announce_stop_signals(const char* what) { announced = what; }
bool stop_requested() { return first_signal.load() != 0; }

void request_stop(int number) {
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
}

int stop_signal() {
  const int number = first_signal.load();
  return std::find(std::begin(kSignals), std::end(kSignals), number) != std::end(kSignals) ? number : SIGTERM;
}

std::string stop_reason() {
  const int number = first_signal.load();
  return number == 0 ? "" : signal_name(number);
}

std::string signal_name(int number) {
  const char* name = name_of(number);
  return name != nullptr ? name : "signal " + std::to_string(number);
}

bool machine_shuts_down() {
  static const bool answer = [] {
    const std::unique_ptr<FILE, int (*)(FILE*)> said(popen("timeout 2 systemctl is-system-running 2>/dev/null", "r"), &pclose);
    char word[16] = {};
    return said && std::fgets(word, sizeof word, said.get()) != nullptr && std::string(word) == "stopping\n";
  }();
  return answer;
}

}  // namespace ringlab
