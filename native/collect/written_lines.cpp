#include "collect/written_lines.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/numbers.h"

namespace ringlab {
namespace {

constexpr size_t kMaxNames = 1000;
constexpr size_t kMaxProblems = 100;
constexpr size_t kMaxFiles = 2000;
constexpr size_t kPiece = size_t{1} << 20;

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

WrittenLines::Replayed WrittenLines::replay(int fd, uint64_t from) {
  std::string rest;
  const uint64_t end = read_lines(fd, from, rest, [&](const JsonValue& line) { replay(line); });
  return {end, !rest.empty()};
}

void WrittenLines::replay_files(int fd) {
  const auto own = places_;
  std::string rest;
  read_lines(fd, 0, rest, [&](const JsonValue& line) { replay_file(line); });
  // After a restart this one may be further.
  for (const auto& [file, end] : own) places_[file] = std::max(places_[file], end);
}

void WrittenLines::note_stored(const StoredLines& stored) {
  // Whichever has more lines knows more of a file: one that was written anew has an earlier place in later lines.
  const bool more = stored.first_number > seq_;
  seq_ = std::max(seq_, stored.first_number);
  for (const auto& place : stored.places) {
    if (more) places_[place.file] = place.end;
    places_.emplace(place.file, place.end);
  }
}

void WrittenLines::replay(const JsonValue& line) {
  const auto number = [&](const char* name) { return number_in(line, name); };
  const auto text = [&](const char* name) { return text_of(line, name); };
  const double seq = number("seq");
  if (seq >= 0 && seq < 9e15) seq_ = std::max(seq_, static_cast<int64_t>(seq) + 1);
  last_time_ = std::max(last_time_, number("t"));
  replay_file(line);
  const std::string kind = text("kind");
  if (!kind.empty()) at_end_ = kind == "collect_end";
  if (kind == "collect_end") ended_ = std::max(ended_, static_cast<int>(std::min(number("attempt"), 1e6)));
  if (kind == "collect_problem") note_problem(text("file"), text("reason"));
  if (const JsonValue* values = line.find("values")) {
    for (const auto& [name, value] : values->members) note_name(name);
  }
  // Of a snapshot.
  ended_ = std::max(ended_, static_cast<int>(std::min(number("ended"), 1e6)));
  if (const JsonValue* names = line.find("names")) {
    for (const auto& name : names->items) note_name(name.text);
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
      if (item.find("names") == nullptr && item.find(list) == nullptr) replay(item);
    }
  }
  if (line.find("at_end") != nullptr) at_end_ = number("at_end") > 0;
}

/// The part that is about a file: its newest record or, of a checkpoint, its size and time.
void WrittenLines::replay_file(const JsonValue& line) {
  const std::string at = text_of(line, "at");
  if (const size_t colon = at.find(':'); colon != std::string::npos) {
    if (const auto end = number_of<uint64_t>(std::string_view(at).substr(colon + 1))) places_[at.substr(0, colon)] = *end;
  }
  if (text_of(line, "kind") != "file") return;
  const std::string path = text_of(line, "path");
  if (line.find("gone") != nullptr) note_gone(path);
  else if (has_room_for_file(path)) files_[path] = {static_cast<uint64_t>(std::clamp(number_in(line, "bytes"), 0.0, 9e15)), number_in(line, "modified")};
}

uint64_t WrittenLines::end_of(const std::string& file) const {
  const auto place = places_.find(file);
  return place == places_.end() ? 0 : place->second;
}

bool WrittenLines::note_name(const std::string& name) {
  if (names_.count(name) > 0) return true;
  if (names_.size() >= kMaxNames) return false;
  names_.insert(name);
  return true;
}

bool WrittenLines::has_file(const std::string& path, uint64_t bytes, double modified) const {
  const auto known = files_.find(path);
  return known != files_.end() && known->second.first == bytes && std::abs(known->second.second - modified) < 1e-3;
}

bool WrittenLines::has_room_for_file(const std::string& path) const { return files_.count(path) > 0 || files_.size() < kMaxFiles; }

std::vector<std::string> WrittenLines::listed_files() const {
  std::vector<std::string> paths;
  for (const auto& [path, what] : files_) paths.push_back(path);
  return paths;
}

bool WrittenLines::is_new_problem(const std::string& file, const std::string& reason) const {
  return problems_.size() < kMaxProblems && problems_.count(problem_key(file, reason)) == 0;
}

void WrittenLines::note_problem(const std::string& file, const std::string& reason) {
  if (problems_.size() < kMaxProblems) problems_.insert(problem_key(file, reason));
}

std::string WrittenLines::snapshot(uint64_t bytes) const {
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
  return JsonObject().add("seq", seq_ - 1).add("t", last_time_).add("ended", ended_).add("at_end", at_end_ ? 1 : 0).add("bytes", bytes).add_raw("names", json_array(names)).add_raw("places", places.str()).add_raw("lines_of_files", json_array(files)).add_raw("lines_of_problems", json_array(problems)).str();
}

uint64_t WrittenLines::bytes_of(const JsonValue& snapshot) {
  const double bytes = number_in(snapshot, "bytes");
  return bytes >= 0 && bytes < 9e15 ? static_cast<uint64_t>(bytes) : 0;
}

}  // namespace ringlab
