// What LogReader takes from a progress bar: its step, and the values in it.
#include <algorithm>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "collect/printed/line_kinds.h"
#include "collect/printed/log_reader.h"
#include "collect/records/phases.h"

namespace ringlab {
namespace {

/// No training makes more steps a second; downloads and data sets do.
constexpr double kFastestStep = 5000;

}  // namespace

bool LogReader::bar(const ProgressBar& bar, std::optional<ColumnRow> row, Found& record) {
  const bool quick = bar.per_second && *bar.per_second > kFastestStep;
  LineScan said = scan_line(bar.description);
  // `Epoch 1 loss 0.5 mAP 0.3:` and `Generator loss 0.5:` are no maps and generated files.
  const bool prepares = is_side_work(bar.description) && !said.metric && !scan_line(bar.rest).metric;
  if (bar.bytes || quick || prepares) return false;
  if (row) {
    said.epoch = row->epoch;
    said.values = std::move(row->values);
    said.metric = true;
  }
  StepTrack* trained = nullptr;
  if (bar.epochs) {
    epoch_ = bar.at;
    progress_.epoch = bar.at;
    progress_.epochs = bar.of;
    progress_.remaining = bar.remaining;
  } else {
    const std::string_view phase = bar_phase(bar);
    if (phase == "val" || phase == "test") {
      if (!bar.of || bar.at < *bar.of) return false;  // its last values count
    } else {
      const std::string key = without_numbers(bar.description) + "/" + (bar.of ? json_number(*bar.of) : "");
      if (tracks_.size() >= kMaxTracks && tracks_.count(key) == 0) return false;
      auto& track = tracks_[key];
      if (said.epoch) take_epoch(said.epoch->at, said.epoch->of);
      const auto main = tracks_.find(main_);
      const bool within = main != tracks_.end() && main_ != key && track.is_within(main->second, bar.at, epoch_);
      const double step = track.step_of(bar.at, bar.of, epoch_, said.epoch.has_value());
      const bool largest = main == tracks_.end() || main_ == key || (!within && bar.of.value_or(0) > main->second.of.value_or(0));
      if (largest) {
        main_ = key;
        step_ = step;
        progress_.step = bar.at;
        progress_.steps = bar.of;
        // A bar of one epoch does not say when the run ends.
        progress_.remaining = said.epoch || track.base > 0 || progress_.epochs ? std::nullopt : bar.remaining;
      }
      record.step = step;
      trained = &track;
    }
  }
  take_bar_values(bar, said, record);
  if (trained != nullptr) trained->valued = trained->valued || !record.values.empty();
  std::string shown = record.step ? json_number(*record.step) : "";
  for (const auto& [name, value] : record.values) shown += "," + json_number(value);
  const std::string key = without_numbers(bar.description);
  if (shown_.size() >= kMaxTracks && shown_.count(key) == 0) shown_.clear();
  auto& before = shown_[key];
  const bool news = before != shown;
  before = std::move(shown);
  say_place(record);
  return news && !record.values.empty();
}

std::string_view LogReader::bar_phase(const ProgressBar& bar) const {
  const auto main = tracks_.find(main_);
  if (bar.description.empty() && !bar.nameless && bar.of && main != tracks_.end() && main->second.is_followed_by(*bar.of, epoch_)) return "test";
  if (!bar.nameless) return phase_in(bar.description);
  // The shorter one is the evaluation's.
  return main != tracks_.end() && main->second.of && bar.of < main->second.of ? "test" : "";
}

void LogReader::take_bar_values(const ProgressBar& bar, const LineScan& said, Found& record) {
  if (said.metric) record.values = said.values;
  const LineScan scan = scan_line(bar.rest);
  record.values.insert(record.values.end(), scan.values.begin(), scan.values.end());
  if (record.values.empty()) {
    // `lr=0.1, foo=2`: what stands in a bar is meant to be followed, if it is no setting.
    record.values = scan_line("step 0 " + bar.rest).values;
  }
  record.values.erase(std::remove_if(record.values.begin(), record.values.end(), [](const auto& value) { return value.first == "v_num" || value.first == "Tot"; }), record.values.end());
}

}  // namespace ringlab
