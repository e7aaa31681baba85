#include "supervise/attempt_lines.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

#include "checkpoint/position.h"
#include "collect/records/json_reader.h"

namespace ringlab {
namespace {

constexpr size_t kPiece = size_t{1} << 16;
/// The trainer's own lines are shorter.
constexpr size_t kMaxLineBytes = size_t{1} << 18;

bool is(const std::string& line, const char* kind) { return line.find(std::string("\"kind\":\"") + kind + "\"") != std::string::npos; }

double number(const JsonValue& line, const char* name) {
  const JsonValue* value = line.find(name);
  return value != nullptr && value->kind == JsonValue::Kind::number && std::isfinite(value->number) ? value->number : 0;
}

std::string text(const JsonValue& line, const char* name) {
  const JsonValue* value = line.find(name);
  return value != nullptr && value->kind == JsonValue::Kind::text ? value->text : "";
}

int64_t count(double number, int64_t max) { return static_cast<int64_t>(std::clamp(number, 0.0, static_cast<double>(max))); }
int64_t steps(double number) { return count(number, kMaxSteps); }

}  // namespace

AttemptLines::AttemptLines(std::string path) : path_(std::move(path)) {
  struct stat found {};
  if (stat(path_.c_str(), &found) == 0) offset_ = static_cast<uint64_t>(found.st_size);
}

void AttemptLines::read() {
  std::ifstream file(path_, std::ios::binary);
  if (!file.seekg(static_cast<std::streamoff>(offset_))) return;
  std::string piece(kPiece, '\0');
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto got = static_cast<size_t>(file.gcount());
    if (got == 0) return;
    offset_ += got;
    rest_.append(piece, 0, got);
    size_t from = 0;
    for (size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', from)) {
      take(rest_.substr(from, end - from));
      from = end + 1;
    }
    rest_.erase(0, from);
    if (rest_.size() > kMaxLineBytes) rest_.clear();
  }
}

void AttemptLines::take(const std::string& line) {
  if (is(line, "step")) {
    last_step_ = line;
    return;
  }
  if (!is(line, "start") && !is(line, "checkpoint") && !is(line, "error")) return;
  const auto read = read_json(line);
  if (!read) return;
  const std::string kind = text(*read, "kind");
  if (kind == "start") {
    started_ = true;
    start_step_ = number(*read, "start_step");
    began_ = number(*read, "t");
  } else if (kind == "checkpoint" && text(*read, "file") == "checkpoint") {
    // The state is copied at the beginning of a save, and its line is written at the end.
    saved_ = {number(*read, "step"), number(*read, "t") - number(*read, "seconds")};
    saved_by_ = std::max(saved_by_, count(number(*read, "members"), kMaxWorldSize));
  } else if (kind == "error") {
    error_ = text(*read, "code");
    message_ = text(*read, "message");
  }
}

JsonObject AttemptLines::reached(std::optional<int64_t> from) const {
  JsonObject reached;
  const auto step = read_json(last_step_);
  // Steps count from 0: the line of step 4 ends the fifth.
  const int64_t done = steps(step ? number(*step, "step") + 1 : start_step_);
  const int64_t saved = from ? *from : steps(saved_ ? std::max(saved_->first, start_step_) : start_step_);
  reached.add("step", std::max(done, from.value_or(0))).add("from_step", saved);
  if (step && began_ > 0 && done > saved) {
    const double ended = std::max(began_, number(*step, "t"));
    reached.add("trained_from", std::min(ended, saved_ ? std::max(began_, saved_->second) : began_)).add("trained_to", ended);
  }
  return reached;
}

}  // namespace ringlab
