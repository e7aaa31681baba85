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

namespace ringlab {
namespace {

constexpr size_t kMaxNameLength = 180;   ///< characters
constexpr size_t kValuesOfALine = 200;   ///< with the longest names below the 128 KiB that a reader takes

std::string axis(double value) {
  if (std::abs(value) < 9e15 && value == std::floor(value)) return std::to_string(static_cast<int64_t>(value));
  return json_number(value);
}

void add_axis(JsonObject& line, const char* name, std::optional<double> value) {
  if (value && std::isfinite(*value)) line.add_raw(name, axis(*value));
}

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

RankLines::RankLines(const std::string& path, const JsonValue* snapshot) : path_(path) {
  fd_ = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd_ < 0) throw Failure(ErrorCode::usage, "collect: " + path + ": " + std::strerror(errno), "give a rank's folder that exists and can be written");
  struct stat info {};
  fstat(fd_, &info);
  const uint64_t from = snapshot != nullptr ? WrittenLines::bytes_of(*snapshot) : 0;
  const bool usable = snapshot != nullptr && from <= static_cast<uint64_t>(info.st_size);
  if (usable) written_.replay(*snapshot);
  const auto replayed = written_.replay(fd_, usable ? from : 0);
  size_ = replayed.end;
  torn_ = replayed.torn;
}

RankLines::~RankLines() {
  if (fd_ >= 0) close(fd_);
}

void RankLines::go_on_from(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  written_.replay_files(fd);
  close(fd);
}

bool RankLines::write(const char* kind, const std::string& fields, double time) {
  char stamp[32];
  std::snprintf(stamp, sizeof stamp, "%.6f", time > 0 ? time : line_time());
  std::string text = (torn_ ? "\n" : "") + std::string("{\"v\":1,\"seq\":") + std::to_string(written_.next_number()) + ",\"t\":" + stamp + ",\"kind\":\"" + kind + "\"" + (fields.size() > 2 ? "," : "") + fields.substr(1) + "\n";
  ssize_t written = -1;
  do {
    written = ::write(fd_, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written > 0) size_ += static_cast<uint64_t>(written);
  if (written == static_cast<ssize_t>(text.size())) {
    torn_ = false;
    reported_ = false;
    written_.note_number();
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
  if (written_.note_name(name)) return true;
  ++refused_names_;
  return false;
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
  written_.note_place(place);
  return true;
}

bool RankLines::config(const Place& place, const Found& record) { return object("script_config", "settings", place, record); }
bool RankLines::collectives(const Place& place, const Found& record) { return object("collectives", "collectives", place, record); }
bool RankLines::profile(const Place& place, const Found& record) { return object("profile", "profile", place, record); }

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
  written_.note_place(place);
  return true;
}

bool RankLines::object(const char* kind, const char* name, const Place& place, const Found& record) {
  if (place.end <= written(place.file)) return true;
  if (!write(kind, JsonObject().add_raw(name, record.text).add("at", place.file + ":" + std::to_string(place.end)).str(), record.time)) return false;
  written_.note_place(place);
  return true;
}

bool RankLines::file(const std::string& path, uint64_t bytes, double modified) {
  if (has_file(path, bytes, modified)) return true;
  if (!written_.has_room_for_file(path)) return problem("", "more than 2,000 files appeared: further ones are not listed");
  char time[32];
  std::snprintf(time, sizeof time, "%.3f", modified);
  if (!write("file", JsonObject().add("path", path).add("bytes", bytes).add_raw("modified", time).str())) return false;
  written_.note_file(path, bytes, modified);
  return true;
}

bool RankLines::files_gone(const std::string& folder) {
  // Where the folder itself cannot be read, as on a file system that is away, nothing is known of its files.
  if (access(folder.c_str(), R_OK | X_OK) != 0) return false;
  bool any = false;
  for (const auto& path : written_.listed_files()) {
    struct stat info {};
    if (lstat((folder + "/" + path).c_str(), &info) == 0 || (errno != ENOENT && errno != ENOTDIR)) continue;
    if (!write("file", JsonObject().add("path", path).add("gone", true).str())) break;
    written_.note_gone(path);
    any = true;
  }
  return any;
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
  if (!written_.is_new_problem(file, reason)) return true;
  if (!write("collect_problem", JsonObject().add("file", file).add("reason", reason).str())) return false;
  written_.note_problem(file, reason);
  return true;
}

bool RankLines::end(int attempt, const std::string& counts) {
  JsonObject line;
  line.add("attempt", attempt).add_raw("skipped", counts);
  if (!write("collect_end", line.str())) return false;
  written_.note_end(attempt);
  return true;
}

}  // namespace ringlab
