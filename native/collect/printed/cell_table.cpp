#include "collect/printed/cell_table.h"

#include <algorithm>
#include <cmath>

#include "collect/printed/line_kinds.h"
#include "collect/printed/metric_names.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

constexpr size_t kMaxRows = 200;
constexpr size_t kMaxName = 80;

/// Stable-Baselines3 writes it in the group `time/`, Baselines in `misc/` or in none. It counts more than other steps.
bool is_total(std::string_view name) { return name == "total_timesteps" || name == "time/total_timesteps" || name == "misc/total_timesteps"; }

/// What a row of a count is named: `step`, `Epoch`, not `steps` and `batch`, which may be numbers of all or sizes.
Marker axis_of(std::string_view name) {
  if (is_total(name)) return Marker::step;
  const Marker marker = name.back() == 's' && lower(name) != "num_updates" ? Marker::none : marker_of(name);
  return marker == Marker::episode || lower(name) == "batch" ? Marker::none : marker;
}

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

CellTable::Rows CellTable::end() {
  Rows rows;
  rows.values.swap(values_);
  group_.clear();
  const bool metric = std::any_of(rows.values.begin(), rows.values.end(), [](const auto& one) { return is_metric_name(one.first); });
  bool total = false;
  const auto is_axis = [&](const auto& one) {
    const Marker axis = axis_of(one.first);
    if (axis == Marker::none || !std::isfinite(one.second)) return false;
    if (!metric && !is_total(one.first)) return true;  // settings
    if (axis == Marker::epoch) {
      rows.epoch = one.second;
    } else if (!total) {
      rows.step = one.second;
      total = is_total(one.first);
    }
    return true;
  };
  rows.values.erase(std::remove_if(rows.values.begin(), rows.values.end(), [&](const auto& one) { return is_axis(one) || is_setting_name(one.first); }), rows.values.end());
  if (!metric) rows.values.clear();
  return rows;
}

void CellTable::restore(std::vector<std::pair<std::string, double>> values, std::string group) {
  values_ = std::move(values);
  group_ = std::move(group);
}

}  // namespace ringlab
