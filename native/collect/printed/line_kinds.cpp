#include "collect/printed/line_kinds.h"

#include <algorithm>

#include "collect/printed/metric_names.h"
#include "collect/records/printed_number.h"

namespace ringlab {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  line = trimmed(line);
  if (line.size() < 3 || line.front() != '|' || line.back() != '|') return cells;
  for (size_t at = 1; at < line.size();) {
    const size_t end = line.find('|', at);
    cells.push_back(trimmed(line.substr(at, end - at)));
    at = end + 1;
  }
  return cells;
}

bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }

std::string without_numbers(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    double ignored = 0;
    // 1.5e-05 is a number as a whole; `inf` and `nan` stand for one.
    const size_t length = number_at(text.substr(at), ignored);
    if (length == 0 && (text[at] != ' ' || out.empty() || out.back() != ' ')) out += text[at];  // wider numbers have fewer spaces beside them
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::string_view phase_in(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find_first_of(" :_-[]/", at), text.size());
    const std::string_view phase = phase_of(text.substr(at, end - at));
    if (!phase.empty()) return phase;
    at = end + 1;
  }
  return {};
}

bool is_ordinary(std::string_view line) {
  for (const std::string_view word : {"Namespace(", "Warning:", "  File \"", "Traceback", "Downloading", "downloading", "warnings.warn", "Requirement already"}) {
    if (line.find(word) != std::string_view::npos) return true;
  }
  for (size_t at = line.find('='); at != std::string_view::npos; at = line.find('=', at + 1)) {
    const std::string_view value = line.substr(at + 1, 5);
    if (value.substr(0, 4) == "None" || value.substr(0, 4) == "True" || value == "False") return true;
  }
  return false;
}

bool is_side_work(std::string_view description) {
  const std::string low = lower(description);
  for (const std::string_view word : {"download", "map", "token", "load", "extract", "generat", "filter", "shard", "sav", "sanity", "predict", "fetch", "upload", "cach", "prepar", "process", "resolv", "convert", "writing", "scanning"}) {
    if (low.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace ringlab
