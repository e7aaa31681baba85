#include "collect/printed/line_kinds.h"

#include <algorithm>
#include <iterator>

#include "collect/printed/metric_names.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

/// What stands before the epoch or step in which a script says that it is: `Starting epoch 3`, `Rank 0, Epoch 3`, `Epoch 3, Step`.
constexpr std::string_view kStartWords[] = {"start", "starting", "started", "begin", "beginning", "begins", "of", "the", "in", "at", "now", "new", "current", "currently", "running", "run", "processing", "entering", "doing", "on", "global", "rank", "gpu", "worker", "process", "node", "fold", "stage", "round"};

}  // namespace

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

bool leads_line(std::string_view line, size_t at) {
  std::string_view before = line.substr(0, at);
  before.remove_prefix(before.rfind(']') + 1);  // npos + 1 is 0
  for (const std::string_view level : {"INFO", "DEBUG", "WARNING"}) {
    const size_t found = before.rfind(level);
    if (found != std::string_view::npos) before.remove_prefix(found + level.size());
  }
  bool is_first = true;
  for (size_t i = 0; i < before.size();) {
    const size_t space = std::min(before.find(' ', i), before.size());
    if (is_digit(before[i])) {
      i = space;  // a date or a time
    } else if (!is_letter(before[i])) {
      ++i;
    } else if (is_first && (before[space - 1] == ':' || before.substr(space, 3) == " - " || before.substr(i, space - i).find('.') != std::string_view::npos)) {
      i = space;  // a logger, as in `INFO:root:`, `root - ` and `train.py`
      is_first = false;
    } else {
      size_t end = i;
      while (end < before.size() && (is_letter(before[end]) || is_digit(before[end]))) ++end;
      const std::string word = lower(before.substr(i, end - i));
      if (phase_of(word).empty() && marker_of(word) == Marker::none && std::find(std::begin(kStartWords), std::end(kStartWords), word) == std::end(kStartWords)) return false;
      i = end;
      is_first = false;
    }
  }
  return true;
}

bool is_ordinary(std::string_view line) {
  for (const std::string_view word : {"Namespace(", "Warning:", "  File \"", "Traceback", "Downloading", "downloading", "warnings.warn", "Requirement already", "learning rate of group"}) {
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
