#include "base/console.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/stop_signal.h"

namespace ringlab {
namespace {

std::string formatted(const std::string& format, double value) {
  char buffer[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(buffer, sizeof buffer, format.c_str(), value);
#pragma GCC diagnostic pop
  return buffer;
}

}  // namespace

void speak_by_lines() { std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ); }

void say(const std::string& line) {
  errno = 0;
  if (std::fputs((line + "\n").c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return;
  if (errno != EPIPE) {
    // For instance a full disk: missing console output does not end a run, whose lines are in metrics.jsonl, too.
    static std::atomic<bool> reported{false};
    if (!reported.exchange(true)) std::fprintf(stderr, "ringlab-train: warning: standard output cannot be written: %s; continuing without its lines\n", std::strerror(errno));
    return;
  }
  if (stop_requested()) return;
  std::fprintf(stderr, "ringlab-train: warning: standard output is closed; stopping as on SIGTERM\n");
  request_stop(SIGPIPE);
}

void AverageMeter::update(double value, double count) {
  value_ = value;
  sum_ += value * count;
  count_ += count;
}

void AverageMeter::restore(double sum, double count) {
  sum_ = sum;
  count_ = count;
  value_ = average();
}

std::string AverageMeter::line() const { return name_ + " " + formatted(format_, value_) + " (" + formatted(format_, average()) + ")"; }

std::string AverageMeter::summary() const { return summary_ == Summary::none ? "" : name_ + " " + formatted("%.3f", average()); }

void ProgressMeter::display(int64_t batch) const {
  const std::string total = std::to_string(batches_);
  std::string number = std::to_string(batch);
  if (number.size() < total.size()) number.insert(0, total.size() - number.size(), ' ');
  std::string text = prefix_ + "[" + number + "/" + total + "]";
  for (const auto* meter : meters_) text += "\t" + meter->line();
  say(text);
}

void ProgressMeter::display_summary() const {
  std::string text = " *";
  for (const auto* meter : meters_) text += " " + meter->summary();
  say(text);
}

}  // namespace ringlab
