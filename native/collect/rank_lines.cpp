#include "collect/rank_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "base/metrics.h"
#include "base/numbers.h"

namespace ringlab {
namespace {

constexpr size_t kMaxNames = 1000;
constexpr size_t kMaxNameLength = 180;   ///< characters
constexpr size_t kMaxProblems = 100;
constexpr size_t kMaxFiles = 2000;
constexpr size_t kValuesOfALine = 200;   ///< with the longest names below the 128 KiB that a reader takes
constexpr size_t kPiece = size_t{1} << 20;

std::string axis(double value) {
  if (std::abs(value) < 9e15 && value == std::floor(value)) return std::to_string(static_cast<int64_t>(value));
  return json_number(value);
}

void add_axis(JsonObject& line, const char* name, std::optional<double> value) {
  if (value && std::isfinite(*value)) line.add_raw(name, axis(*value));
}

/// Reads in pieces: the file may be longer than the memory. Returns the offset of its end; `rest` is an incomplete last line.
template <typename Visit>
uint64_t read_lines(int fd, uint64_t from, std::string& rest, const Visit& visit) {
  uint64_t at = from;
  std::string piece(kPiece, '\0');
  while (true) {
    const ssize_t got = pread(fd, piece.data(), piece.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return at;
    at += static_cast<uint64_t>(got);
    rest.append(piece, 0, static_cast<size_t>(got));
    size_t done = 0;
    for (size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', done)) {
      const auto line = read_json(std::string_view(rest).substr(done, end - done));
      if (line && line->kind == JsonValue::Kind::object) visit(*line);
      done = end + 1;
    }
    rest.erase(0, done);
    if (rest.size() > 2 * kPiece) rest.clear();  // no line of ours
  }
}

std::string text_of(const JsonValue& line, const char* name) {
  const JsonValue* member = line.find(name);
  return member != nullptr && member->kind == JsonValue::Kind::text ? member->text : std::string();
}

double number_in(const JsonValue& line, const char* name) {
  const JsonValue* member = line.find(name);
  return member != nullptr && member->kind == JsonValue::Kind::number ? member->number : -1.0;
}

std::string problem_key(const std::string& file, const std::string& reason) { return file + "\n" + reason; }

}  // namespace

std::string clean_name(std::string_view name) {
  std::string out;
  size_t characters = 0;
  for (size_t at = 0; at < name.size() && characters < kMaxNameLength;) {
    const auto byte = static_cast<unsigned char>(name[at]);
    size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    length = std::min(length, name.size() - at);
    const bool control = byte < 0x20 || byte == 0x7F || (byte == 0xC2 && length == 2 && static_cast<unsigned char>(name[at + 1]) < 0xA0);
    // Line and paragraph separators, marks that reverse text.
    const bool marks = length == 3 && byte == 0xE2 && (name[at + 1] == '\x80' || name[at + 1] == '\x81') && static_cast<unsigned char>(name[at + 2]) >= 0xA6;
    if (!control && !marks) {
      out.append(name.substr(at, length));
      ++characters;
    }
    at += length;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out.erase(0, out.find_first_not_of(' '));
  return out;
}

RankLines::RankLines(const std::string& path, uint64_t from, const JsonValue* snapshot) : path_(path) {
  fd_ = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd_ < 0) throw Failure(ErrorCode::usage, "collect: " + path + ": " + std::strerror(errno), "give a rank's folder that exists and can be written");
  struct stat info {};
  fstat(fd_, &info);
  const bool usable = snapshot != nullptr && from <= static_cast<uint64_t>(info.st_size);
  if (usable) replayed(*snapshot);
  std::string rest;
  size_ = read_lines(fd_, usable ? from : 0, rest, [&](const JsonValue& line) { replayed(line); });
  torn_ = !rest.empty();
}

RankLines::~RankLines() {
  if (fd_ >= 0) close(fd_);
}

/// What one line, or a snapshot, says about what has been written.
void RankLines::replayed(const JsonValue& line) {
  const auto number = [&](const char* name) { return number_in(line, name); };
  const auto text = [&](const char* name) { return text_of(line, name); };
  const double seq = number("seq");
  if (seq >= 0 && seq < 9e15) seq_ = std::max(seq_, static_cast<int64_t>(seq) + 1);
  last_time_ = std::max(last_time_, number("t"));
  replayed_file(line);
  const std::string kind = text("kind");
  if (kind == "collect_end") ended_ = std::max(ended_, static_cast<int>(std::min(number("attempt"), 1e6)));
  if (kind == "collect_problem" && problems_.size() < kMaxProblems) problems_.insert(problem_key(text("file"), text("reason")));
  if (const JsonValue* values = line.find("values")) {
    for (const auto& [name, value] : values->members) {
      if (names_.size() < kMaxNames) names_.insert(name);
    }
  }
  // Of a snapshot.
  ended_ = std::max(ended_, static_cast<int>(std::min(number("ended"), 1e6)));
  if (const JsonValue* names = line.find("names")) {
    for (const auto& name : names->items) {
      if (names_.size() < kMaxNames) names_.insert(name.text);
    }
  }
  if (const JsonValue* places = line.find("places")) {
    for (const auto& [file, end] : places->members) {
      if (const auto offset = number_of<uint64_t>(end.text)) places_[file] = *offset;
    }
  }
  for (const char* list : {"lines_of_files", "lines_of_problems"}) {
    const JsonValue* lines = line.find(list);
    if (lines == nullptr) continue;
    for (const auto& item : lines->items) {
      if (item.find("names") == nullptr && item.find(list) == nullptr) replayed(item);
    }
  }
}

/// The part that is about a file: its newest record or, of a checkpoint, its size and time.
void RankLines::replayed_file(const JsonValue& line) {
  const std::string at = text_of(line, "at");
  if (const size_t colon = at.find(':'); colon != std::string::npos) {
    if (const auto end = number_of<uint64_t>(std::string_view(at).substr(colon + 1))) places_[at.substr(0, colon)] = *end;
  }
  if (text_of(line, "kind") != "file" || files_.size() >= kMaxFiles) return;
  files_[text_of(line, "path")] = {static_cast<uint64_t>(std::clamp(number_in(line, "bytes"), 0.0, 9e15)), number_in(line, "modified")};
}

void RankLines::go_on_from(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  const auto own = places_;
  std::string rest;
  read_lines(fd, 0, rest, [&](const JsonValue& line) { replayed_file(line); });
  close(fd);
  // After a restart this one may be further.
  for (const auto& [file, end] : own) places_[file] = std::max(places_[file], end);
}

std::string RankLines::snapshot() const {
  std::vector<std::string> names;
  for (const auto& name : names_) names.push_back(json_string(name));
  JsonObject places;
  for (const auto& [file, end] : places_) places.add(file, std::to_string(end));
  std::vector<std::string> files;
  for (const auto& [path, what] : files_) files.push_back(JsonObject().add("kind", "file").add("path", path).add("bytes", what.first).add("modified", what.second).str());
  std::vector<std::string> problems;
  for (const auto& problem : problems_) {
    const size_t end = problem.find('\n');
    problems.push_back(JsonObject().add("kind", "collect_problem").add("file", problem.substr(0, end)).add("reason", problem.substr(end + 1)).str());
  }
  return JsonObject().add("seq", seq_ - 1).add("t", last_time_).add("ended", ended_).add("bytes", size_).add_raw("names", json_array(names)).add_raw("places", places.str()).add_raw("lines_of_files", json_array(files)).add_raw("lines_of_problems", json_array(problems)).str();
}

bool RankLines::write(const char* kind, const std::string& fields, double time) {
  char stamp[32];
  std::snprintf(stamp, sizeof stamp, "%.6f", time > 0 ? time : unix_time());
  std::string text = (torn_ ? "\n" : "") + std::string("{\"v\":1,\"seq\":") + std::to_string(seq_) + ",\"t\":" + stamp + ",\"kind\":\"" + kind + "\"" + (fields.size() > 2 ? "," : "") + fields.substr(1) + "\n";
  ssize_t written = -1;
  do {
    written = ::write(fd_, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written > 0) size_ += static_cast<uint64_t>(written);
  if (written == static_cast<ssize_t>(text.size())) {
    torn_ = false;
    reported_ = false;
    ++seq_;
    return true;
  }
  torn_ = torn_ || written > 0;
  if (!reported_) std::fprintf(stderr, "ringlab-train: warning: %s: line not written: %s; it is tried again\n", path_.c_str(), written < 0 ? std::strerror(errno) : "short write");
  reported_ = true;
  return false;
}

/// False where the run has its 1,000 names already, or nothing of the name is left.
bool RankLines::name_of(const std::string& given, std::string& name) {
  name = clean_name(given);
  if (name.empty()) return false;
  if (names_.count(name) > 0) return true;
  if (names_.size() >= kMaxNames) {
    ++refused_names_;
    return false;
  }
  names_.insert(name);
  return true;
}

bool RankLines::scalars(const char* from, const Place& place, const Found& record) {
  if (place.end <= written(place.file)) return true;
  std::string name;
  std::vector<std::pair<std::string, double>> values;
  for (const auto& [given, value] : record.values) {
    if (!name_of(given, name)) continue;
    const auto same = std::find_if(values.begin(), values.end(), [&](const auto& other) { return other.first == name; });
    if (same == values.end()) {
      values.emplace_back(name, value);
    } else {
      same->second = value;
    }
  }
  if (refused_names_ > 0) problem("", "this script has more than 1,000 names of values: further ones are left out");
  for (size_t first = 0; first < values.size(); first += kValuesOfALine) {
    JsonObject object;
    const size_t end = std::min(values.size(), first + kValuesOfALine);
    for (size_t i = first; i < end; ++i) object.add(values[i].first, values[i].second);
    JsonObject line;
    add_axis(line, "step", record.step);
    add_axis(line, "epoch", record.epoch);
    line.add("from", from).add_raw("values", object.str());
    // The record is done when its last line is there.
    if (end == values.size()) line.add("at", place.file + ":" + std::to_string(place.end));
    if (!write("scalar", line.str(), record.time)) return false;
    ++scalar_lines_;
  }
  places_[place.file] = place.end;
  return true;
}

bool RankLines::config(const Place& place, const Found& record) { return object("script_config", "settings", place, record); }
bool RankLines::collectives(const Place& place, const Found& record) { return object("collectives", "collectives", place, record); }

bool RankLines::medium(const Place& place, const Found& record, const std::string& file) {
  if (place.end <= written(place.file) || record.values.empty()) return true;
  const std::string name = clean_name(record.values.front().first);
  if (name.empty()) return true;
  JsonObject line;
  add_axis(line, "step", record.step);
  line.add("name", name);
  if (!file.empty()) line.add("file", file).add("offset", record.offset);
  line.add("at", place.file + ":" + std::to_string(place.end));
  std::string text = line.str();
  text.insert(text.size() - 1, "," + record.text);
  if (!write(file.empty() ? "histogram" : "picture", text, record.time)) return false;
  places_[place.file] = place.end;
  return true;
}

bool RankLines::object(const char* kind, const char* name, const Place& place, const Found& record) {
  if (place.end <= written(place.file)) return true;
  if (!write(kind, JsonObject().add_raw(name, record.text).add("at", place.file + ":" + std::to_string(place.end)).str(), record.time)) return false;
  places_[place.file] = place.end;
  return true;
}

bool RankLines::has_file(const std::string& path, uint64_t bytes, double modified) const {
  const auto known = files_.find(path);
  return known != files_.end() && known->second.first == bytes && std::abs(known->second.second - modified) < 1e-3;
}

bool RankLines::file(const std::string& path, uint64_t bytes, double modified) {
  if (has_file(path, bytes, modified)) return true;
  if (files_.count(path) == 0 && files_.size() >= kMaxFiles) return problem("", "more than 2,000 files appeared: further ones are not listed");
  char time[32];
  std::snprintf(time, sizeof time, "%.3f", modified);
  if (!write("file", JsonObject().add("path", path).add("bytes", bytes).add_raw("modified", time).str())) return false;
  files_[path] = {bytes, modified};
  return true;
}

bool RankLines::progress(const ScriptProgress& progress) {
  JsonObject line;
  add_axis(line, "step", progress.step);
  add_axis(line, "steps", progress.steps);
  add_axis(line, "epoch", progress.epoch);
  add_axis(line, "epochs", progress.epochs);
  add_axis(line, "remaining", progress.remaining);
  return write("script_progress", line.str());
}

bool RankLines::problem(const std::string& file, const std::string& reason) {
  const std::string key = problem_key(file, reason);
  if (problems_.count(key) > 0 || problems_.size() >= kMaxProblems) return true;
  if (!write("collect_problem", JsonObject().add("file", file).add("reason", reason).str())) return false;
  problems_.insert(key);
  return true;
}

bool RankLines::end(int attempt, const std::string& counts) {
  JsonObject line;
  line.add("attempt", attempt).add_raw("skipped", counts);
  if (!write("collect_end", line.str())) return false;
  ended_ = attempt;
  return true;
}

uint64_t RankLines::written(const std::string& file) const {
  const auto place = places_.find(file);
  return place == places_.end() ? 0 : place->second;
}

}  // namespace ringlab
