#include "tests/fuzz.h"

#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ringlab {
namespace {

volatile sig_atomic_t current_case = -1;

int64_t number_from(const char* variable, int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::atoll(text) : otherwise;
}

/// Sanitizers abort: their report is out by then. Only what is safe in a signal handler.
extern "C" void tell_case(int signal) {
  char text[96] = "fuzz: case ";
  size_t length = std::strlen(text);
  char digits[16];
  int count = 0;
  for (auto rest = static_cast<int>(current_case); count == 0 || rest > 0; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) text[length++] = digits[--count];
  const char* end = signal == SIGPROF ? " computes without end\n" : " crashed\n";
  std::memcpy(text + length, end, std::strlen(end));
  const ssize_t ignored = write(STDERR_FILENO, text, length + std::strlen(end));
  (void)ignored;
  _exit(1);
}

/// Of processor time: a machine that is busy, or a process that was stopped, is no hang.
void limit_case(int seconds) {
  const itimerval timer{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

size_t place(const std::string& bytes, Stream& random) { return static_cast<size_t>(random.below(static_cast<int64_t>(bytes.size()))); }

std::string piece(const std::string& bytes, Stream& random) {
  if (bytes.empty()) return {};
  const size_t from = place(bytes, random);
  const size_t longest = std::min<size_t>(bytes.size() - from, size_t{1} << random.below(9));
  return bytes.substr(from, static_cast<size_t>(random.below(static_cast<int64_t>(longest))) + 1);
}

void change(std::string& bytes, const std::string& other, Stream& random) {
  if (bytes.empty()) {
    bytes = piece(other, random);
    return;
  }
  const size_t at = place(bytes, random);
  switch (random.below(9)) {
    case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8))); return;
    case 1: bytes[at] = static_cast<char>(random.below(256)); return;
    case 2:
    case 3: {
      const uint64_t limits[] = {0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, bytes.size(), bytes.size() - at};
      uint64_t number = limits[random.below(sizeof limits / sizeof *limits)];
      const size_t width = std::min<size_t>(size_t{1} << random.below(4), bytes.size() - at);
      const bool big_endian = random.below(2) == 1;
      for (size_t i = 0; i < width; ++i, number >>= 8) bytes[at + (big_endian ? width - 1 - i : i)] = static_cast<char>(number & 0xFF);
      return;
    }
    case 4: bytes.erase(at, static_cast<size_t>(random.below(16)) + 1); return;
    case 5: bytes.insert(at, piece(bytes, random)); return;
    case 6: bytes.insert(at, piece(other, random)); return;
    case 7: {
      const std::string patch = piece(other, random);
      bytes.replace(at, std::min(patch.size(), bytes.size() - at), patch);
      return;
    }
    default:
      if (random.below(4) == 0) bytes.resize(at);
      else std::swap(bytes[at], bytes[place(bytes, random)]);
  }
}

}  // namespace

int64_t fuzz_cases() { return number_from("RINGLAB_FUZZ_CASES", 500); }

std::string mutate(const std::string& bytes, const std::string& other, Stream& random) {
  std::string mutated = bytes;
  for (int64_t changes = 1 + random.below(4); changes > 0; --changes) change(mutated, other, random);
  return mutated;
}

void fuzz(const char* name, const std::vector<std::string>& seeds, const std::function<void(const std::string& bytes)>& read) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF}) std::signal(signal, tell_case);
  uint64_t key = 0;
  for (const char* letter = name; *letter != '\0'; ++letter) key = key * 31 + static_cast<uint64_t>(*letter);
  const auto count = static_cast<int64_t>(seeds.size());
  for (int64_t number = number_from("RINGLAB_FUZZ_FIRST", 0); number < fuzz_cases(); ++number) {
    current_case = static_cast<sig_atomic_t>(number);
    limit_case(10);
    Stream random({key, static_cast<uint64_t>(number)});
    const std::string& seed = seeds[static_cast<size_t>(number % count)];
    const std::string& other = seeds[static_cast<size_t>(random.below(count))];
    try {
      read(number < count ? seed : mutate(seed, other, random));
    } catch (const std::exception& error) {
      ADD_FAILURE() << name << ", case " << number << ": " << error.what();
      break;
    }
  }
  limit_case(0);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF}) std::signal(signal, SIG_DFL);
}

}  // namespace ringlab
