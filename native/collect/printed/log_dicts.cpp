// What LogReader takes from dicts in a line, and from the text before them.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "collect/printed/log_reader.h"
#include "collect/printed/metric_names.h"
#include "collect/records/json_reader.h"
#include "collect/records/json_values.h"
#include "collect/records/printed_dicts.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

constexpr size_t kMaxValues = 200;

}  // namespace

/// All of a line's dicts are one record: `Epoch 3 train: {'loss': 0.5} val: {'loss': 0.6}`.
void LogReader::dicts(std::string_view line, uint64_t end, std::vector<Found>& found) {
  Found record;
  record.end = end;
  for (const PrintedDict& printed : dicts_of(line)) {
    Found one;
    std::string phase;
    LineScan said = scan_line(printed.before);
    said.best = says_best(printed.before);
    const bool best = said.best;
    if (!said.phase.empty()) said.phase = last_phase_in(printed.before);
    if (!dict(printed.text, std::move(said), one, phase)) continue;
    if (!record.step) record.step = one.step;
    if (!record.epoch) record.epoch = one.epoch;
    if (!record.time) record.time = one.time;
    for (auto& [name, value] : one.values) {
      if (best) name.insert(0, "best ");
    }
    add_phase(one.values, phase);
    for (auto& value : one.values) {
      if (record.values.size() == kMaxValues) break;
      if (std::none_of(record.values.begin(), record.values.end(), [&](const auto& other) { return other.first == value.first; })) record.values.push_back(std::move(value));
    }
  }
  if (!record.values.empty()) found.push_back(std::move(record));
}

/// `said`: what stands before it. Its own epoch and step count more.
bool LogReader::dict(std::string_view text, LineScan said, Found& record, std::string& phase) {
  auto value = read_python(text);
  if (!value) value = read_json(text);
  if (!value || value->kind != JsonValue::Kind::object) return false;
  // Newer versions of Hugging Face's trainer print numbers as texts.
  for (auto& [name, member] : value->members) {
    double number = 0;
    if (member.kind != JsonValue::Kind::text || member.text.empty() || number_at(member.text, number) != member.text.size()) continue;
    member.kind = JsonValue::Kind::number;
    member.number = number;
  }
  flatten_numbers(*value, kMaxValues, record.values);
  const bool metric = std::any_of(record.values.begin(), record.values.end(), [](const auto& one) { return is_metric_name(one.first); });
  const bool whole_run = counts_whole_run(record.values);
  take_axes(record);
  if (!metric || record.values.empty()) return false;
  phase = phase_of_record(*value);
  if (phase.empty()) phase = said.phase;
  if (said.best) {
    record.epoch.reset();
    record.step.reset();
    say_place(record);
    return true;
  }
  if (record.epoch) take_epoch(*record.epoch, std::nullopt);
  if (!record.step && (said.step || said.batch || (said.epoch && !record.epoch))) {
    if (record.epoch) said.epoch.reset();
    said.phase = phase;
    said.metric = true;
    said.values = record.values;
    counts(said, record);
    return true;
  }
  if (said.epoch && !record.epoch) {
    record.epoch = said.epoch->at;
    if (!said.evaluation && phase != "val" && phase != "test") take_epoch(said.epoch->at, said.epoch->of);
  }
  if (record.step && !whole_run && (phase == "val" || phase == "test")) {
    record.step = step_;  // its own counts batches of the evaluation
  } else if (record.step) {
    if (!whole_run) record.step = tracks_["line"].step_of(*record.step, std::nullopt, epoch_, record.epoch.has_value());
    step_ = record.step;
  }
  say_place(record);
  return true;
}

}  // namespace ringlab
