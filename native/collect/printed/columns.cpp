#include "collect/printed/columns.h"

#include <algorithm>
#include <cctype>

#include "collect/printed/line_kinds.h"
#include "collect/printed/metric_names.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

constexpr size_t kMinColumns = 3;
constexpr size_t kMaxColumns = 40;
constexpr size_t kMaxName = 60;

std::vector<std::string_view> tokens_of(std::string_view line) {
  std::vector<std::string_view> tokens;
  for (size_t at = after_spaces(line, 0); at < line.size() && tokens.size() <= kMaxColumns; at = after_spaces(line, at)) {
    const size_t end = std::min(line.find(' ', at), line.size());
    tokens.push_back(line.substr(at, end - at));
    at = end;
  }
  return tokens;
}

/// `P`, `R` and `mAP50-95` of `Box(P  R  mAP50-95)`: the word before the bracket is theirs.
std::vector<std::string> names_of(const std::vector<std::string_view>& tokens) {
  std::vector<std::string> names;
  std::string group;
  for (std::string_view token : tokens) {
    while (!token.empty() && token.back() == ':') token.remove_suffix(1);
    const size_t open = token.find('(');
    if (open != std::string_view::npos) {
      group = std::string(token.substr(0, open)) + " ";
      token = token.substr(open + 1);
    }
    const bool last = !token.empty() && token.back() == ')';
    if (last) token.remove_suffix(1);
    names.push_back(group + std::string(token));
    if (last) group.clear();
  }
  return names;
}

bool is_name(std::string_view token) {
  if (token.size() > kMaxName || std::isalpha(static_cast<unsigned char>(token.front())) == 0) return false;
  return token.find_first_of("=,[]{}\"'|") == std::string_view::npos;
}

bool is_followed(std::string_view name) {
  const std::string low = lower(name);
  for (const std::string_view other : {"images", "instances", "labels", "targets", "time"}) {
    if (low == other) return false;
  }
  return !is_setting_name(name);
}

/// `3` and `3/100`.
std::optional<Count> epoch_of(std::string_view token) {
  Count count;
  size_t at = whole_number_at(token, count.at);
  if (at == 0) return std::nullopt;
  if (at == token.size()) return count;
  double of = 0;
  const size_t length = token[at] == '/' ? whole_number_at(token.substr(at + 1), of) : 0;
  if (length == 0 || at + 1 + length != token.size()) return std::nullopt;
  count.of = of;
  return count;
}

/// What a column of counts is named: `epoch`, `step`.
Marker axis_of(std::string_view name) {
  const Marker marker = marker_of(name);
  return marker == Marker::episode ? Marker::step : marker;
}

/// `Train Loss` is the same curve as in a line.
std::string curve_of(const std::string& name) {
  std::string phase;
  return curve_name(name, std::string_view(name).substr(name.rfind(' ') + 1), phase);
}

}  // namespace

bool Columns::take_names(std::string_view line) {
  const size_t begin = after_spaces(line, 0);
  if (begin < line.size() && line[begin] == '|') return take_cells(cells_of(line));
  if (begin == line.size() || (line[begin] != 'E' && line[begin] != 'e' && line[begin] != 'C')) return false;
  const std::vector<std::string_view> tokens = tokens_of(line);
  if (tokens.size() < kMinColumns || tokens.size() > kMaxColumns) return false;
  has_bars_ = false;
  const bool classes = tokens.front() == "Class";
  if (!classes && lower(tokens.front()) != "epoch") return false;
  // A sentence that begins so has single spaces.
  if (line.substr(begin + tokens.front().size()).rfind("  ", 0) != 0) return false;
  for (const std::string_view token : tokens) {
    if (!is_name(token)) return false;
  }
  names_ = names_of(tokens);
  return true;
}

bool Columns::take_cells(const std::vector<std::string_view>& cells) {
  if (cells.size() < kMinColumns || cells.size() > kMaxColumns) return false;
  if (!std::all_of(cells.begin(), cells.end(), [](std::string_view cell) { return !cell.empty() && is_name(cell); })) return false;
  if (std::none_of(cells.begin(), cells.end(), [](std::string_view cell) { return is_metric_name(cell); })) return false;
  names_.assign(cells.begin(), cells.end());
  has_bars_ = true;
  return true;
}

bool Columns::has_axis() const { return !names_.empty() && axis_of(names_.front()) != Marker::none; }

std::optional<ColumnRow> Columns::row(std::string_view line) const {
  if (names_.empty()) return std::nullopt;
  const std::vector<std::string_view> tokens = has_bars_ ? cells_of(line) : tokens_of(line);
  if (tokens.size() != names_.size()) return std::nullopt;
  ColumnRow row;
  const bool counted = has_bars_ && has_axis();
  if (has_bars_) {
    // Each is a number, those under `epoch` and `step` are counts.
    for (size_t i = 0; counted && i < tokens.size(); ++i) {
      const Marker axis = axis_of(names_[i]);
      if (axis == Marker::none) continue;
      auto& count = axis == Marker::epoch ? row.epoch : row.step;
      count = epoch_of(tokens[i]);
      if (!count) return std::nullopt;
    }
  } else if (has_classes()) {
    if (tokens.front() != "all") return std::nullopt;
  } else {
    row.epoch = epoch_of(tokens.front());
    if (!row.epoch) return std::nullopt;
  }
  for (size_t i = has_bars_ ? 0 : 1; i < tokens.size(); ++i) {
    if (counted && axis_of(names_[i]) != Marker::none) continue;
    double value = 0;
    const size_t length = number_at(tokens[i], value);
    if (length == 0 && counted) continue;  // `-`: it was not measured in this epoch
    if (length == 0) return std::nullopt;
    // 2.51G and 00:10 are no values to follow.
    const bool is_value = length == tokens[i].size() || (counted && tokens[i].substr(length) == "%");
    if (is_value && is_followed(names_[i])) row.values.emplace_back(counted ? curve_of(names_[i]) : names_[i], value);
  }
  return row;
}

}  // namespace ringlab
