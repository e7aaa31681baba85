#include "collect/printed/evaluated.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "collect/printed/metric_names.h"
#include "collect/records/printed_number.h"

namespace ringlab {

namespace {

/// `(EMA)` of timm's `Test (EMA): [`, `EMA` of torchvision's `Test: EMA  [`, "" of `Test: [`; nothing for other lines.
std::optional<std::string_view> tested(std::string_view line) {
  constexpr std::string_view kTest = "Test";
  const auto is_at = [&](size_t at, char c) { return at < line.size() && line[at] == c; };
  size_t at = line.find(kTest);
  if (at == std::string_view::npos) return std::nullopt;
  at = after_spaces(line, at + kTest.size());
  const size_t begin = at;
  if (is_at(at, '(')) at = std::min(line.find(')', at), line.size() - 1) + 1;
  std::string_view model = line.substr(begin, at - begin);
  if (line.substr(at, 2) != ": ") return std::nullopt;
  at = after_spaces(line, at + 2);
  const size_t word = at;
  while (model.empty() && at < line.size() && is_letter(line[at])) ++at;
  if (at > word) model = line.substr(word, at - word);
  return is_at(after_spaces(line, at), '[') ? std::optional(model) : std::nullopt;
}

}  // namespace

bool Evaluated::take(std::string_view line, LineScan& scan) {
  const auto model = tested(line);
  if (!scan.batch || scan.phase != "test" || !model) return false;
  averages_ = scan.averages;
  // Counted from 0 or 1, to the last one or the number of all. main.py prints a summary, too: the same values once more.
  const bool last = scan.batch->of && scan.batch->at + 1 >= *scan.batch->of;
  scan.values.clear();
  scan.phase = "val";
  constexpr std::string_view kSection = "test/";  // behind `Test: EMA`
  for (auto& [name, value] : averages_) {
    if (name.rfind(kSection, 0) == 0) name.erase(0, kSection.size());
  }
  if (last) scan.values = averages_;
  // Both models are evaluated at the same step.
  for (auto& [name, value] : scan.values) {
    if (!model->empty()) name = "val " + std::string(*model) + "/" + name;
  }
  return true;
}

bool Evaluated::finish(std::string_view line, LineScan& scan) {
  const size_t star = line.find("* ");
  if (star == std::string_view::npos || !scan.metric || (star > 0 && line[star - 1] != ' ')) return false;
  const size_t begin = after_spaces(line, star + 1);
  if (!is_metric_name(line.substr(begin, line.find(' ', begin) - begin))) return false;
  scan.phase = "val";
  for (const auto& [name, value] : averages_) {
    const auto has = [&, &wanted = name](const auto& other) { return other.first == wanted; };
    if (lower(name) == "loss" && std::none_of(scan.values.begin(), scan.values.end(), has)) scan.values.emplace_back(name, value);
  }
  averages_.clear();
  return true;
}

}  // namespace ringlab
