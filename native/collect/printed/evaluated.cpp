#include "collect/printed/evaluated.h"

#include <algorithm>

#include "collect/printed/metric_names.h"

namespace ringlab {

bool Evaluated::take(std::string_view line, LineScan& scan) {
  const size_t at = line.find("Test: ");
  if (!scan.batch || scan.phase != "test" || at == std::string_view::npos || line.find('[', at) != after_spaces(line, at + 6)) return false;
  averages_ = scan.averages;
  // Counted from 0 or 1, to the last one or the number of all. main.py prints a summary, too: the same values once more.
  const bool last = scan.batch->of && scan.batch->at + 1 >= *scan.batch->of;
  scan.values.clear();
  scan.phase = "val";
  if (last) scan.values = averages_;
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
