#include "collect/printed/line_scan.h"

#include <algorithm>

#include "collect/printed/chinese_words.h"
#include "collect/printed/line_scanner.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

constexpr size_t kMaxWords = 4;

}  // namespace

LineScan LineScanner::run() {
  while (at_ < line_.size()) {
    const char c = line_[at_];
    if (c == ' ') {
      spaces();
    } else if (is_beyond_ascii(c) && ordinal()) {
      continue;
    } else if (is_letter(c) || (c == '@' && !name_.empty())) {
      word();
    } else if (number_begins(line_, at_) || (line_.substr(at_, 4) == "-inf" && (separator_ || is_named_value()))) {
      number();
    } else if ((c == ':' || c == '=') && !name_.empty() && !separator_) {
      separator();
    } else if (c == '[') {
      bracket();
    } else if (c == ']' && !group_.empty()) {
      group_.clear();
    } else if (c == '#' && marker_ != Marker::none) {
      ++at_;
    } else if (c == '(' && marker_ != Marker::none && bracketed_phase()) {
      // `Epoch(train)` counts as `Epoch` does.
    } else if (c == '(' && marker_ == Marker::none && words_ > 0 && !separator_ && bracket_of_name()) {
      // `loss (batch)=0.5`
    } else if (c == '.' && !phase_of(last_).empty() && words_ > 0) {
      ++at_;  // `Val. Loss`
    } else {
      sign();
    }
  }
  if (!scan_.epoch && !scan_.batch && !scan_.step) scan_.step = episode_;
  if (!scan_.metric) {
    // `Epochs: 10, lr: 0.001`
    const bool is_place = (scan_.epoch && !epoch_is_amount_) || (scan_.step && !step_is_amount_) || scan_.batch;
    if (!is_place) scan_.epoch = scan_.step = std::nullopt;
  }
  if (!scan_.metric && !scan_.epoch && !scan_.step && !scan_.batch) scan_.values.clear();
  return std::move(scan_);
}

void LineScanner::forget() {
  name_.clear();
  words_ = 0;
  separator_ = false;
  marker_ = Marker::none;
}

bool LineScanner::ordinal() {
  const auto found = chinese_ordinal(line_, at_);
  if (!found) return false;
  forget();
  marker_ = found->marker;
  marker_at_ = at_;
  is_amount_ = false;
  at_ = found->end;
  if (!counted()) count({found->at, found->of});
  forget();
  return true;
}

/// Whether nan or inf at this place is a metric's value: behind its name, in a line that says where the run is.
bool LineScanner::is_named_value() const { return words_ > 0 && is_metric_name(last_) && (scan_.epoch || scan_.step || scan_.batch); }

void LineScanner::spaces() {
  const size_t start = at_;
  at_ = after_spaces(line_, at_);
  // A gap divides columns, but may stand between a name and its number.
  if (at_ - start > 1 && at_ < line_.size() && is_letter(line_[at_]) && !separator_) forget();
}

void LineScanner::word() {
  const size_t start = at_;
  while (at_ < line_.size()) {
    const char c = line_[at_];
    const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : ' ';
    const bool inside = (c == '@' && next == '.') || ((c == '.' || c == '-' || c == '/' || c == '@' || c == '#') && (is_letter(next) || is_digit(next)));
    if ((!is_letter(c) && !is_digit(c) && !inside) || (is_beyond_ascii(c) && chinese_is(line_, at_) > 0)) break;
    if (is_digit(c) && at_ > start && is_value_behind(line_.substr(start, at_ - start), line_, at_)) break;
    ++at_;
  }
  const std::string_view word = line_.substr(start, at_ - start);
  double value = 0;
  // `loss: nan` is a value, `mode: train` is none; `Loss nan (nan)` is one where numbers stand beside it, and so is `iter 100: loss nan`.
  const bool in_brackets = at_ + 1 < line_.size() && line_[at_] == ' ' && line_[at_ + 1] == '(';
  const bool expected = separator_ || (words_ > 0 && (in_brackets || !scan_.values.empty() || is_named_value()));
  if (expected && (lower(word) == "nan" || lower(word) == "inf") && number_at(word, value) == word.size()) return end_number(value);
  if (separator_) {
    open_section();
    open_best();
    forget();
  }
  if (word == "INFO" || word == "DEBUG" || word == "WARNING") {
    section_.clear();  // what is before it names a logger
    return forget();
  }
  if (lower(word) == "is" && !name_.empty()) {
    separator_ = true;
    return;
  }
  take_phase(word, line_.substr(at_));
  if (words_ == kMaxWords || name_.size() + word.size() > kMaxLineName) {
    name_ = word.size() > kMaxLineName ? std::string_view{} : word;
    words_ = 1;
  } else {
    if (!name_.empty()) name_ += ' ';
    name_ += word;
    ++words_;
  }
  last_ = word;
  const size_t length = at_ < line_.size() && is_beyond_ascii(line_[at_]) ? chinese_is(line_, at_) : 0;
  at_ += length;
  separator_ = length > 0;
  // `best accuracy 0.9 at epoch 3` is not where the run is.
  best_ = best_ || lower(word) == "best";
  marker_ = best_ ? Marker::none : marker_of(word);
  marker_at_ = start;
  is_amount_ = word.back() == 's' || (!scan_.epoch && lower(word) == "batch");
}

void LineScanner::separator() {
  ++at_;
  const char next = at_ < line_.size() ? line_[at_] : ' ';
  // `std::cout`, `==`, `http://`: no name and value.
  if (next == ':' || next == '=' || next == '/') {
    forget();
    return;
  }
  // `mAP@0.5:0.95: 0.312`: the name of a range.
  double ignored = 0;
  const size_t length = line_[at_ - 1] == ':' && is_digit(line_[at_ - 2]) ? number_at(line_.substr(at_), ignored) : 0;
  const size_t end = at_ + length;
  if (length > 0 && end < line_.size() && (line_[end] == ':' || line_[end] == '=') && line_.substr(at_, length).find('.') != std::string_view::npos) {
    name_ += line_.substr(at_ - 1, length + 1);
    at_ = end;
    return;
  }
  separator_ = true;
}

void LineScanner::bracket() {
  ++at_;
  const auto found = bracket_counts(line_, at_);
  if (!found && section()) return forget();
  if (!found) {
    // `tot_loss[loss=0.5, …]`
    group_ = words_ == 1 && line_[at_ - 2] != ' ' ? name_ + "/" : "";
    if (group_.empty() && name_follows()) open_section();
    return forget();
  }
  if (found->second) {
    if (scan_.values.empty() && !scan_.epoch && words_ == 0) {
      scan_.epoch = found->first;
      scan_.step = found->second;
      at_ = found->end;
    }
    return forget();
  }
  at_ = found->end;
  const size_t behind = after_spaces(line_, at_);
  const bool doubled = found->first.of && has_total(line_, behind);
  if (marker_ == Marker::epoch || (doubled && !scan_.epoch)) {
    if (marker_ == Marker::epoch) {
      count(found->first);
    } else {
      scan_.epoch = found->first;
    }
  } else if (marker_ == Marker::step) {
    if (!scan_.step) count(found->first);
  } else if (found->first.of && !scan_.batch) {
    scan_.batch = found->first;
  }
  forget();
}

LineScan scan_line(std::string_view line) {
  const std::string plain = with_plain_numbers(line);
  return LineScanner(plain).run();
}

}  // namespace ringlab
