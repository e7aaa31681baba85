#include "tests/fuzz.h"

#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file_text.h"

namespace ringlab {
namespace {

volatile sig_atomic_t current_case = -1;

int64_t number_from(const char* variable, int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::atoll(text) : otherwise;
}

/// Sanitizers abort after their report. Only async-signal-safe functions.
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

/// Processor time: a busy machine, or a stopped process, is not a hang.
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

uint64_t limit_number(Stream& random) {
  const std::vector<uint64_t> numbers = {0,          1,          2,          3,          7,          0x7F,       0x80,       0xFF,       0x100,      1000,
                                         0x7FFF,     0x8000,     0xFFFF,     0x10000,    1 << 20,    1 << 24,    0x3FFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                                         0x100000000, uint64_t{1} << 40, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, uint64_t{1} << 62, (uint64_t{1} << 63) / 3};
  const uint64_t number = one_of(numbers, random);
  return chance(25, random) ? number - 1 + static_cast<uint64_t>(random.below(3)) : number;
}

std::string little_endian(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(i < 8 ? value >> (8 * i) & 0xFF : 0);
  return out;
}

std::string big_endian(uint64_t value, int bytes) {
  const std::string turned = little_endian(value, bytes);
  return {turned.rbegin(), turned.rend()};
}

namespace {

constexpr int64_t kMaxMegabytes = 512;

/// "VmHWM" or "VmRSS" of this process in MB.
int64_t megabytes(const char* field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(field, 0) == 0) return std::atoll(line.c_str() + std::strlen(field) + 1) / 1024;
  }
  return 0;
}

/// Watches the cases of one test. `case_of` returns a case's bytes.
void run_cases(const char* name, int64_t fixed, const std::function<std::string(int64_t number, Stream& random)>& case_of, const std::function<void(const std::string& bytes)>& read) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF}) std::signal(signal, tell_case);
  uint64_t key = 0;
  for (const char* letter = name; *letter != '\0'; ++letter) key = key * 31 + static_cast<uint64_t>(*letter);
  // Resets the peak: earlier memory does not count for a case.
  { std::ofstream("/proc/self/clear_refs") << "5"; }
  const int64_t before = megabytes("VmRSS");
  int64_t peak = 0;
  for (int64_t number = number_from("RINGLAB_FUZZ_FIRST", 0); number < fixed + fuzz_cases(); ++number) {
    current_case = static_cast<sig_atomic_t>(number);
    Stream random({key, static_cast<uint64_t>(number)});
    const std::string bytes = case_of(number, random);
    if (const char* keep = std::getenv("RINGLAB_FUZZ_KEEP")) std::ofstream(std::string(keep) + "/" + name + "-" + std::to_string(number), std::ios::binary) << bytes;
    limit_case(static_cast<int>(number_from("RINGLAB_FUZZ_SECONDS", 5)));
    try {
      read(bytes);
    } catch (const std::exception& error) {
      ADD_FAILURE() << name << ", case " << number << ": " << error.what();
      break;
    }
    peak = std::max(peak, megabytes("VmHWM") - before);
    if (peak > kMaxMegabytes) {
      ADD_FAILURE() << name << ", case " << number << " takes " << peak << " MB";
      break;
    }
  }
  limit_case(0);
  std::printf("%s: %lld cases, %lld MB more at the most\n", name, static_cast<long long>(fixed + fuzz_cases()), static_cast<long long>(peak));
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF}) std::signal(signal, SIG_DFL);
}

}  // namespace

void fuzz(const char* name, const std::vector<std::string>& seeds, const std::function<void(const std::string& bytes)>& read) {
  const auto count = static_cast<int64_t>(seeds.size());
  run_cases(
      name, 0,
      [&](int64_t number, Stream& random) {
        const std::string& other = one_of(seeds, random);
        const std::string& seed = seeds[static_cast<size_t>(number % count)];
        return number < count ? seed : mutate(seed, other, random);
      },
      read);
}

void fuzz_made(const char* name, const std::function<std::string(Stream& random)>& make, const std::function<void(const std::string& bytes)>& read) {
  namespace fs = std::filesystem;
  std::vector<std::string> corpus;
  const fs::path folder = fs::path(RINGLAB_TEST_SAMPLES) / ".." / "corpus" / name;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) corpus.push_back(entry.path().string());
  }
  std::sort(corpus.begin(), corpus.end());
  for (auto& path : corpus) {
    path = file_text(path);
  }
  const auto kept = static_cast<int64_t>(corpus.size());
  run_cases(name, kept, [&](int64_t number, Stream& random) { return number < kept ? corpus[static_cast<size_t>(number)] : make(random); }, read);
}

}  // namespace ringlab
