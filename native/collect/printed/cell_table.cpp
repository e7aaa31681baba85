#include "collect/printed/cell_table.h"

#include <algorithm>

#include "collect/printed/line_kinds.h"
#include "collect/printed/metric_names.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

constexpr size_t kMaxRows = 200;
constexpr size_t kMaxName = 80;
constexpr std::string_view kStep = "time/total_timesteps";

}  // namespace

bool CellTable::take_row(std::string_view line) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() != 2) return false;
  const std::string_view name = cells[0];
  const std::string_view cell = cells[1];
  if (name.empty() || name.size() > kMaxName) return false;
  if (cell.empty() && name.back() == '/') {
    group_ = name;
    return true;
  }
  double value = 0;
  if (number_at(cell, value) != cell.size() || cell.empty() || values_.size() >= kMaxRows) return !cell.empty();
  values_.emplace_back(group_ + std::string(name), value);
  return true;
}

std::vector<std::pair<std::string, double>> CellTable::end(std::optional<double>& step) {
  std::vector<std::pair<std::string, double>> found;
  found.swap(values_);
  group_.clear();
  for (const auto& [name, value] : found) {
    if (name == kStep) step = value;
  }
  const auto is_metric = [](const auto& one) { return is_metric_name(one.first); };
  if (std::none_of(found.begin(), found.end(), is_metric)) return {};
  found.erase(std::remove_if(found.begin(), found.end(), [](const auto& one) { return one.first == kStep || is_setting_name(one.first); }), found.end());
  return found;
}

void CellTable::restore(std::vector<std::pair<std::string, double>> values, std::string group) {
  values_ = std::move(values);
  group_ = std::move(group);
}

}  // namespace ringlab
