#include "collect/printed/log_reader.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "collect/printed/coco_line.h"
#include "collect/printed/line_kinds.h"
#include "collect/printed/plain_line.h"
#include "collect/records/phases.h"

namespace ringlab {
namespace {

/// Begins the line that the launcher writes before what another start of the script prints (src/main/run/launch/order-files.ts).
constexpr std::string_view kAttemptMark = "[ringlab] attempt ";

}  // namespace

uint64_t LogReader::read(std::string_view bytes, bool last, std::vector<Found>& found) {
  size_t done = 0;
  while (done < bytes.size()) {
    size_t end = bytes.find_first_of("\r\n", done);
    if (end == std::string_view::npos) {
      if (done == 0 && bytes.size() >= kReadWindow) return bytes.size();  // no line is that long
      if (!last) break;
      end = bytes.size();
    }
    const size_t next = end < bytes.size() ? end + 1 : end;
    if (end > done) line(bytes.substr(done, end - done), next, found);
    done = next;
  }
  return done;
}

void LogReader::line(std::string_view text, uint64_t end, std::vector<Found>& found) {
  if (text.rfind(kAttemptMark, 0) == 0) return begin_attempt(text, end, found);
  // The zeros that a file system leaves after a power cut: what is before them may be the beginning of a number.
  if (text.find('\0') != std::string_view::npos) return;
  text = text.substr(0, 4 * kMaxPrintedLine);
  const size_t before = found.size();
  known_line(text, end, found);
  if (!patterns_ || patterns_->list.empty()) return;
  Found own;
  own.end = end;
  without_escapes(text, plain_);
  if (!match_user_patterns(*patterns_, plain_, own)) return;
  if (own.epoch) take_epoch(*own.epoch, std::nullopt);
  if (own.step) step_ = own.step;
  say_place(own);
  // One record a line: what both understand is the user's.
  if (found.size() == before) {
    found.push_back(std::move(own));
    return;
  }
  Found& known = found.back();
  for (auto& value : known.values) {
    if (std::none_of(own.values.begin(), own.values.end(), [&](const auto& other) { return other.first == value.first; })) own.values.push_back(std::move(value));
  }
  known = std::move(own);
}

void LogReader::known_line(std::string_view text, uint64_t end, std::vector<Found>& found) {
  const bool numbers = has_digit(text) || text.find("nan") != std::string_view::npos || text.find("inf") != std::string_view::npos;
  // Names of columns, groups and ends of tables have no digits; E2 94 begins the lines that tables are drawn with.
  if (!numbers && cells_.empty() && text.find('|') == std::string_view::npos && text.find("\xE2\x94") == std::string_view::npos && text.find("poch") == std::string_view::npos && text.find("Class") == std::string_view::npos) return;
  plain_line(text, plain_);
  const std::string_view line = trimmed(plain_);
  if (cells_.take_row(line)) return;
  if (!cells_.empty()) end_table(end, found);
  Found record;
  record.end = end;
  if (const auto drawn = read_progress_bar(plain_)) {
    if (columns_.take_names(drawn->description)) return;
    auto row = columns_.row(drawn->description);
    const bool trains = row.has_value();
    const bool is_news = bar(*drawn, std::move(row), record);
    // print() right behind a bar that is under way.
    const size_t brace = drawn->rest.find('{');
    Found printed;
    std::string phase;
    printed.end = end;
    if (brace != std::string::npos && line.back() == '}' && dict(drawn->rest.substr(brace), {}, printed, phase)) return add(std::move(printed), phase, found);
    if (!is_news) return;
    phase = trains ? "train" : std::string(bar_phase(*drawn));
    if (const LineScan said = scan_line(drawn->description); said.evaluation) phase = said.phase;
    return add(std::move(record), phase, found);
  }
  if (columns_.take_names(line) || is_ordinary(line)) return;
  if (auto row = columns_.row(line)) return column_row(std::move(*row), end, found);
  if (auto result = coco_line(line)) {
    record.values.push_back(std::move(*result));
    say_place(record);
    return add(std::move(record), "val", found);
  }
  if (line.find('{') != std::string_view::npos && line.back() == '}') return dicts(line, end, found);
  LineScan scan = scan_line(line);
  const bool under_way = evaluated_.take(line, scan);
  if (!under_way) evaluated_.finish(line, scan);
  if (scan.phase.empty() && scan.epoch && scan.batch && line.rfind("Epoch: [", 0) == 0) scan.phase = "train";
  counts(scan, record);
  if (scan.values.empty()) return;
  record.values = std::move(scan.values);
  add(std::move(record), scan.phase, found);
}

void LogReader::end_table(uint64_t end, std::vector<Found>& found) {
  Found record;
  record.end = end;
  auto rows = cells_.end();
  if (rows.epoch) take_epoch(*rows.epoch, std::nullopt);
  if (rows.step) step_ = rows.step;
  record.values = std::move(rows.values);
  say_place(record);
  if (!record.values.empty()) found.push_back(std::move(record));
}

void LogReader::column_row(ColumnRow row, uint64_t end, std::vector<Found>& found) {
  Found record;
  record.end = end;
  if (row.epoch) take_epoch(row.epoch->at, row.epoch->of);
  if (row.step) step_ = tracks_["line"].step_of(row.step->at, row.step->of, epoch_, row.epoch.has_value());
  say_place(record);
  record.values = std::move(row.values);
  if (!record.values.empty()) add(std::move(record), columns_.is_evaluation() ? "val" : "", found);
}

void LogReader::begin_attempt(std::string_view mark, uint64_t end, std::vector<Found>& found) {
  Found start;
  start.kind = Found::Kind::start;
  start.end = end;
  start.step = number_of<int>(mark.substr(kAttemptMark.size()));
  if (start.step) found.push_back(std::move(start));
  for (auto& [key, track] : tracks_) track.begin_attempt();
  epoch_.reset();
  step_.reset();
  evaluated_ = {};
  columns_ = {};
  cells_ = {};
  shown_.clear();
  progress_ = {};
}

void LogReader::take_epoch(double at, std::optional<double> of) {
  epoch_ = at;
  progress_.epoch = at;
  if (of) progress_.epochs = of;
}

void LogReader::say_place(Found& record) const {
  if (!record.epoch) record.epoch = epoch_;
  if (!record.step) record.step = step_;
}

/// The line's epoch and step, which the lines after it have, too.
void LogReader::counts(LineScan& scan, Found& record) {
  const auto before = tracks_.find("line");
  // Keras' evaluate() behind fit(), in the epoch that fit() has named last.
  if (scan.batch_first && scan.batch->of && scan.phase.empty() && !scan.epoch && !scan.step && before != tracks_.end() && before->second.epoch == epoch_ && before->second.is_followed_by(*scan.batch->of, epoch_)) {
    scan.phase = "test";
    if (scan.batch->at < *scan.batch->of) scan.values.clear();  // its last values count
  }
  // Values of training in the line make it the training's.
  const bool trains = std::any_of(scan.values.begin(), scan.values.end(), [](const auto& value) { return phase_in(value.first) == "train"; });
  const bool evaluates = scan.evaluation || (!trains && (scan.phase == "val" || scan.phase == "test"));
  // `Num Epochs = 3` and `Save checkpoint at step 1000` are not where the run is.
  const bool has_values = !scan.values.empty();
  if (scan.epoch && (!evaluates || trains) && (has_values || scan.epoch_leads)) {
    const bool next = epoch_ != scan.epoch->at;
    take_epoch(scan.epoch->at, scan.epoch->of);
    if (next && !scan.step && !scan.batch) {
      progress_.step.reset();
      progress_.steps.reset();
    }
  }
  const auto& count = scan.step ? scan.step : scan.batch;
  // `[10/100]` alone may count anything.
  if (count && !evaluates && (scan.step || scan.metric || scan.epoch) && (has_values || (scan.step ? scan.step_leads : scan.epoch_leads))) {
    auto& track = tracks_["line"];
    step_ = track.step_of(count->at, count->of, epoch_, scan.epoch.has_value());
    track.valued = track.valued || has_values;
    progress_.step = count->at;
    progress_.steps = count->of;
    if (main_.empty()) main_ = "line";
  }
  if (evaluates) record.step = evaluated_step(scan);
  if (scan.epoch) record.epoch = scan.epoch->at;
  say_place(record);
}

/// The step of the training that a line of an evaluation names. The count behind the word (`Eval step 10`) may be that of the evaluation's own batches,
/// as may one with another total.
std::optional<double> LogReader::evaluated_step(const LineScan& scan) const {
  if (!scan.step) return std::nullopt;
  const auto track = tracks_.find("line");
  const bool counted = track != tracks_.end();
  // Of the epoch or of the whole run: what is nearer to where the training is.
  const double in_run = scan.step->at;
  const double in_epoch = (counted ? track->second.base : 0) + in_run;
  const double now = step_.value_or(0);
  const double step = std::abs(in_run - now) < std::abs(in_epoch - now) ? in_run : in_epoch;
  if (!scan.step_of_phase) return !scan.step->of || !counted || scan.step->of == track->second.of ? std::optional<double>(step) : std::nullopt;
  return !scan.step->of && step >= step_.value_or(0) ? std::optional<double>(step) : std::nullopt;
}

void LogReader::add_phase(std::vector<std::pair<std::string, double>>& values, const std::string& phase) {
  if (phase.empty()) return;
  for (auto& [name, value] : values) {
    if (phase_in(name).empty()) name.insert(0, phase + "/");
  }
}

void LogReader::add(Found record, const std::string& phase, std::vector<Found>& found) {
  add_phase(record.values, phase);
  found.push_back(std::move(record));
}

}  // namespace ringlab
