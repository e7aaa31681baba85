#include "base/metrics.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/file_text.h"
#include "base/numbers.h"

namespace ringlab {
namespace {

constexpr size_t kMaxPending = size_t{4} << 20;

/// The `seq` of a complete line, -1 without one. In our own lines it is near the start.
int64_t seq_of(std::string_view line) {
  constexpr std::string_view kKey = "\"seq\":";
  const size_t at = line.find(kKey);
  if (line.empty() || line.front() != '{' || line.back() != '}' || at == std::string_view::npos) return -1;
  int64_t seq = -1;
  const char* first = line.data() + at + kKey.size();
  while (first < line.data() + line.size() && *first == ' ') ++first;
  const auto result = std::from_chars(first, line.data() + line.size(), seq);
  return result.ec == std::errc() && seq >= 0 ? seq : -1;
}

struct Tail {
  int64_t last_seq = -1;
  bool incomplete = false;
};

/// Reads the file backwards in growing pieces, until a complete line with a `seq` is found.
Tail read_tail(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || info.st_size == 0) return {};
  Tail tail;
  int64_t piece = 1 << 16;
  while (true) {
    const int64_t from = std::max<int64_t>(0, info.st_size - piece);
    std::string text(static_cast<size_t>(info.st_size - from), '\0');
    const ssize_t got = pread(fd, text.data(), text.size(), from);
    if (got <= 0) return tail;
    text.resize(static_cast<size_t>(got));
    tail.incomplete = text.back() != '\n';
    size_t end = text.rfind('\n');
    while (end != std::string::npos && end > 0) {
      const size_t before = text.rfind('\n', end - 1);
      if (before == std::string::npos && from > 0) break;
      const size_t start = before == std::string::npos ? 0 : before + 1;
      tail.last_seq = seq_of(std::string_view(text).substr(start, end - start));
      if (tail.last_seq >= 0 || before == std::string::npos) return tail;
      end = before;
    }
    if (from == 0) return tail;
    piece *= 4;
  }
}

std::string_view variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

/// From RINGLAB_FIRST_SEQ, 0 without it.
int64_t first_seq() {
  return std::max<int64_t>(0, number_of<int64_t>(variable("RINGLAB_FIRST_SEQ")).value_or(0));
}

constexpr double kLatest = 1e11;  ///< Unix seconds: of the year 5138
/// What comes over a connection is less exact than a clock that is right.
constexpr double kInexact = 2;

/// Seconds since the machine was started, also suspended ones: no one can set this clock.
double since_boot() {
  timespec now{};
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::optional<double> seconds_at_boot(std::string_view text) {
  const auto seconds = number_of<double>(text);
  return seconds && std::isfinite(*seconds) && *seconds >= 0 && *seconds < kLatest ? seconds : std::nullopt;
}

/// RINGLAB_CLOCK_ABOUT, "<Unix seconds>,<boot id>", where it is about this start of the machine.
std::optional<double> about_at_boot(std::string_view text) {
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string boot = file_text("/proc/sys/kernel/random/boot_id");
  boot.erase(boot.find_last_not_of('\n') + 1);
  return !boot.empty() && boot == text.substr(comma + 1) ? seconds_at_boot(text.substr(0, comma)) : std::nullopt;
}

/// Which time it was for lines when the machine was started.
double line_time_at_boot() {
  if (const auto given = seconds_at_boot(variable("RINGLAB_CLOCK"))) return *given;
  const double own = wall_time() - since_boot();
  const auto about = about_at_boot(variable("RINGLAB_CLOCK_ABOUT"));
  return about && std::abs(*about - own) > kInexact ? *about : own;
}

/// Taken when the process starts, not with its first line: a jump in between would be in all of them.
const double at_boot = line_time_at_boot();

}  // namespace

double line_time() { return at_boot + since_boot(); }

double wall_time() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

void pass_line_clock_on() {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", at_boot);
  setenv("RINGLAB_CLOCK", text, 1);
}

MetricsFile::MetricsFile(const std::string& path) {
  if (path.empty()) return;
  fd_ = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) {
    throw Failure(ErrorCode::usage, "--metrics " + path + ": " + std::strerror(errno), "give a file in a folder that exists and can be written");
  }
  const Tail tail = read_tail(fd_);
  seq_ = std::max(tail.last_seq + 1, first_seq());
  torn_ = tail.incomplete;
}

MetricsFile::~MetricsFile() {
  if (fd_ < 0) return;
  write_pending();
  close(fd_);
}

void MetricsFile::write(const char* kind, const JsonObject& fields) {
  if (fd_ < 0) return;
  const std::lock_guard lock(mutex_);
  JsonObject line;
  char time[32];
  std::snprintf(time, sizeof time, "%.6f", line_time());
  line.add("v", 1).add("seq", seq_).add_raw("t", time).add("kind", kind).add_all(fields);
  if (pending_.size() < kMaxPending) {
    pending_ += (torn_ ? "\n" : "") + line.str() + "\n";
    torn_ = false;
    ++seq_;
  }
  write_pending();
}

/// A short write leaves the beginning of a line in the file: the next one continues it.
void MetricsFile::write_pending() {
  while (!pending_.empty()) {
    const ssize_t written = ::write(fd_, pending_.data(), pending_.size());
    if (written < 0 && errno == EINTR) continue;
    if (written > 0) {
      pending_.erase(0, static_cast<size_t>(written));
      continue;
    }
    if (!reported_) std::fprintf(stderr, "ringlab-train: warning: metrics line not written: %s\n", std::strerror(errno));
    reported_ = true;
    return;
  }
}

void MetricsFile::sync() {
  if (fd_ < 0) return;
  {
    const std::lock_guard lock(mutex_);
    write_pending();
  }
  fdatasync(fd_);
}

void MetricsFile::warn(const std::string& code, const std::string& message, const std::string& hint, const std::string& path) {
  std::fprintf(stderr, "ringlab-train: warning: %s%s%s\n", message.c_str(), hint.empty() ? "" : "; ", hint.c_str());
  JsonObject fields;
  fields.add("code", code).add("message", message).add("hint", hint);
  if (!path.empty()) fields.add("path", path);
  write("warning", fields);
}

void MetricsFile::error(const Failure& failure, int64_t step) {
  std::fprintf(stderr, "ringlab-train: error: %s%s%s\n", failure.what(), failure.hint().empty() ? "" : "; ", failure.hint().c_str());
  JsonObject fields;
  fields.add("code", error_code_name(failure.code())).add("message", failure.what()).add("hint", failure.hint());
  if (!failure.path().empty()) fields.add("path", failure.path());
  if (failure.peer_rank() >= 0) fields.add("peer_rank", failure.peer_rank());
  if (!failure.peer_address().empty()) fields.add("peer_address", failure.peer_address());
  if (step >= 0) fields.add("step", step);
  write("error", fields);
}

}  // namespace ringlab
