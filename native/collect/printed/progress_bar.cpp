#include "collect/printed/progress_bar.h"

#include <algorithm>
#include <charconv>

#include "collect/printed/counts.h"
#include "collect/printed/line_kinds.h"
#include "collect/printed/metric_names.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

/// `01:02`, `1:01:02`, `2 days, 1:01:02` without the days; its length in `text`, 0 for anything else.
size_t duration_at(std::string_view text, double& seconds) {
  size_t at = 0;
  seconds = 0;
  int fields = 0;
  while (fields < 3) {
    size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == at || end - at > 6) break;
    int field = 0;
    std::from_chars(text.data() + at, text.data() + end, field);
    seconds = seconds * 60 + field;
    ++fields;
    at = end;
    if (at == text.size() || text[at] != ':') break;
    ++at;
  }
  return fields >= 2 ? at : 0;
}

/// The number that ends at `end`; its start, or `end` without one. K, M, G behind it are tqdm's unit_scale.
size_t number_before(std::string_view line, size_t end, double& number, bool& scaled) {
  size_t digits_end = end;
  double scale = 1;
  if (digits_end > 0) {
    const char unit = line[digits_end - 1];
    if (unit == 'k' || unit == 'K') scale = 1e3;
    if (unit == 'M') scale = 1e6;
    if (unit == 'G') scale = 1e9;
    if (scale > 1) --digits_end;
  }
  size_t start = digits_end;
  while (start > 0 && (is_digit(line[start - 1]) || line[start - 1] == '.')) --start;
  if (start == digits_end || number_at(line.substr(start, digits_end - start), number) != digits_end - start) return end;
  number *= scale;
  scaled = scaled || scale > 1;
  return start;
}

/// Where the number of `120it`, `120batch`, `1.20kit` ends: before the letters of its unit.
size_t before_unit(std::string_view line, size_t end) {
  size_t at = end;
  while (at > 0 && is_letter(line[at - 1]) && !is_beyond_ascii(line[at - 1])) --at;
  const bool scaled = at + 1 < end && (line[at] == 'k' || line[at] == 'M' || line[at] == 'G');
  return scaled ? at + 1 : at;
}

/// `Epoch 3` of `Epoch 3: 45%|bar|`, and what stands there without a percentage. A description may have percents of its own: `acc: 91.25%:  10%|bar|`.
std::string_view before_percent(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  size_t percent = text.rfind("%|");
  if (percent == std::string_view::npos && !text.empty() && text.back() == '%') percent = text.size() - 1;
  if (percent != std::string_view::npos) {
    text = text.substr(0, percent);
    while (!text.empty() && is_digit(text.back())) text.remove_suffix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == ':' || text.back() == '|')) text.remove_suffix(1);
  return trimmed(text);
}

/// ignite's: `Epoch [3/3]: [27/32]  84%|bar, batch loss=0.22 [00:00<00:00]`; nothing for tqdm's own; `end`: of what stands before the last bracket.
std::optional<ProgressBar> counted_before(std::string_view line, size_t end) {
  const size_t drawn = line.rfind('|', end);
  const std::string_view before = before_percent(line.substr(0, end));
  const size_t open = before.rfind('[');
  if (drawn == std::string_view::npos || open == std::string_view::npos) return std::nullopt;
  // tqdm's own count stands behind the drawn bar: then a bracket in the description, as in `Epoch [0/3]:  10%|bar| 94/938 [`, is the script's.
  const std::string_view behind = trimmed(line.substr(drawn + 1, end - drawn - 1));
  if (behind.find('/') != std::string_view::npos && behind.find_first_not_of("0123456789./kKMG?") == std::string_view::npos) return std::nullopt;
  const auto counts = bracket_counts(before, open + 1);
  if (!counts || !counts->first.of || counts->end != before.size()) return std::nullopt;
  ProgressBar bar;
  bar.at = counts->first.at;
  bar.of = counts->first.of;
  bar.description = before_percent(before.substr(0, open));
  bar.rest = line.substr(drawn + 1, end - drawn - 1);
  return bar;
}

/// Ultralytics' own: `train: 50% ||||| 1/2 1.7it/s 0.2s<0.6s`
std::optional<ProgressBar> without_brackets(std::string_view line) {
  const size_t percent = line.find("% |");
  if (percent == std::string_view::npos) return std::nullopt;
  size_t start = percent + 2;
  while (start < line.size() && line[start] == '|') ++start;
  if (start == line.size() || line[start] != ' ') return std::nullopt;
  ++start;
  const size_t end = std::min(line.find(' ', start), line.size());
  ProgressBar bar;
  double of = 0;
  const size_t slash = number_before(line, end, of, bar.bytes);
  if (slash == end || slash <= start || line[slash - 1] != '/') return std::nullopt;
  if (number_before(line, slash - 1, bar.at, bar.bytes) != start || bar.at > of) return std::nullopt;
  bar.of = of;
  bar.bytes = bar.bytes || line.find("B/s", end) != std::string_view::npos;
  bar.description = before_percent(line.substr(0, percent + 1));
  return bar;
}

/// Of a `bar_format` of the script's own: `640: 100%|bar| 8/8 00:04` (YOLOv5 7.0), `100%|bar| 8/8 [2.0it/s, loss=0.5]`.
std::optional<ProgressBar> without_elapsed(std::string_view line) {
  const size_t percent = line.rfind("%|");
  if (percent == std::string_view::npos) return std::nullopt;
  for (size_t at = line.find("| ", percent); at != std::string_view::npos; at = line.find("| ", at + 1)) {
    ProgressBar bar;
    double of = 0;
    const size_t start = after_spaces(line, at + 1);
    const size_t slash = start + whole_number_at(line.substr(start), bar.at);
    if (slash == start || slash == line.size() || line[slash] != '/') continue;
    const size_t length = whole_number_at(line.substr(slash + 1), of);
    size_t end = slash + 1 + length;
    if (length == 0 || bar.at > of || (end < line.size() && line[end] != ' ')) continue;
    double elapsed = 0;
    end = after_spaces(line, end);
    if (end < line.size()) end += duration_at(line.substr(end), elapsed);
    bar.of = of;
    bar.rest = line.substr(end);
    bar.description = before_percent(line.substr(0, percent + 1));
    return bar;
  }
  return std::nullopt;
}

/// `[==>...]  Loss: 2.3 | Acc: 10 %  30/391`
std::optional<ProgressBar> nameless_bar(std::string_view line) {
  line = trimmed(line);
  const size_t close = line.find(']');
  if (line.size() < 3 || line[0] != '[' || close == std::string_view::npos || line.substr(1, close - 1).find_first_not_of("=>.") != std::string_view::npos) return std::nullopt;
  ProgressBar bar;
  double of = 0;
  bool scaled = false;
  const size_t slash = number_before(line, line.size(), of, scaled);
  if (slash == line.size() || slash < close + 2 || line[slash - 1] != '/') return std::nullopt;
  const size_t start = number_before(line, slash - 1, bar.at, scaled);
  if (start == slash - 1 || bar.at > of || scaled) return std::nullopt;
  bar.of = of;
  bar.nameless = true;
  bar.rest = line.substr(close + 1, start - close - 1);
  return bar;
}

}  // namespace

std::optional<ProgressBar> read_progress_bar(std::string_view line) {
  // `45/100 [00:01<00:01`: the place of the bracket first.
  size_t bracket = line.find('[');
  double elapsed = 0;
  size_t length = 0;
  for (; bracket != std::string_view::npos; bracket = line.find('[', bracket + 1)) {
    length = duration_at(line.substr(bracket + 1), elapsed);
    if (length > 0) break;
  }
  if (bracket == std::string_view::npos) {
    auto bar = without_brackets(line);
    if (!bar) bar = without_elapsed(line);
    return bar ? bar : nameless_bar(line);
  }
  if (bracket < 2 || line[bracket - 1] != ' ') return std::nullopt;
  size_t at = bracket + 1 + length;
  if (at == line.size() || (line[at] != '<' && line[at] != ',')) return std::nullopt;
  ProgressBar bar;
  double remaining = 0;
  if (line[at] == '<') {
    const size_t taken = duration_at(line.substr(at + 1), remaining);
    if (taken > 0) bar.remaining = remaining;
  }
  size_t end = bracket - 1;
  if (auto counted = counted_before(line, end)) return counted;
  double of = 0;
  bool scaled = false;
  // No total is known: Lightning's `120/? [`, tqdm's own `120it [` with its unit.
  const bool open = end >= 2 && line.substr(end - 2, 2) == "/?";
  if (open) end -= 2;
  size_t start = number_before(line, end, of, scaled);
  if (start == end && !open) {
    end = before_unit(line, end);
    start = number_before(line, end, of, scaled);
  }
  if (start == end) return std::nullopt;
  if (start > 0 && line[start - 1] == '/') {
    bar.of = of;
    const size_t slash = start - 1;
    start = number_before(line, slash, bar.at, scaled);
    if (start == slash) return std::nullopt;
  } else {
    bar.at = of;
  }
  if (bar.of && bar.at > *bar.of) return std::nullopt;
  const size_t close = line.find(']', at);
  const std::string_view inside = line.substr(at, close == std::string_view::npos ? std::string_view::npos : close - at);
  // `<00:01, 32.1it/s, loss=0.123`
  const size_t comma = inside.find(',');
  if (comma != std::string_view::npos) {
    const size_t second = inside.find(',', comma + 1);
    std::string_view rate = inside.substr(comma + 1, second == std::string_view::npos ? std::string_view::npos : second - comma - 1);
    while (!rate.empty() && rate.front() == ' ') rate.remove_prefix(1);
    double number = 0;
    const size_t digits = number_at(rate, number);
    const std::string unit(rate.substr(digits));
    if (digits > 0) {
      const bool inverse = unit.rfind("s/", 0) == 0;
      bar.per_second = inverse ? (number > 0 ? 1 / number : 0) : number;
      if (!inverse && !unit.empty() && (unit[0] == 'k' || unit[0] == 'M' || unit[0] == 'G')) bar.per_second = number * (unit[0] == 'k' ? 1e3 : unit[0] == 'M' ? 1e6 : 1e9);
    }
    bar.epochs = unit.find("epoch") != std::string::npos;
    bar.bytes = unit.find("B/s") != std::string::npos;
    if (second != std::string_view::npos) bar.rest = inside.substr(second + 1);
  }
  bar.bytes = bar.bytes || scaled;
  if (close != std::string_view::npos) bar.rest += " " + std::string(line.substr(close + 1));
  std::string_view before = before_percent(line.substr(0, start));
  bar.description = before;
  const std::string low = lower(before);
  bar.epochs = bar.epochs || low == "epoch" || low == "epochs" || low == "training epochs";
  return bar;
}

}  // namespace ringlab
