// Numbers in a printed line: which are counts, which are values, and of what.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "collect/printed/line_kinds.h"
#include "collect/printed/line_scanner.h"
#include "collect/records/phases.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

constexpr size_t kMaxValues = 64;

/// Whether the number at `at` is the line of `module:function:45`, as loguru begins its lines. `INFO:root:loss:45` is Python's logging and a value.
bool is_place_in_program(std::string_view line, size_t at) {
  const auto before = [&](size_t end) {
    while (end > 0 && (is_letter(line[end - 1]) || is_digit(line[end - 1]) || line[end - 1] == '.')) --end;
    return end;
  };
  const size_t function = before(at - 1);
  if (function == at - 1 || function == 0 || line[function - 1] != ':') return false;
  const size_t module = before(function - 1);
  return module < function - 1 && is_letter(line[module]) && (module == 0 || line[module - 1] != ':');
}

/// Whether a count without a word of its own that is named so is of batches: `Rank: 1/2` and `patience 0/10` are not.
bool counts_batches(std::string_view name) {
  const std::string low = lower(name);
  constexpr std::string_view kCounted[] = {"batches", "minibatch", "progress", "samples", "images", "examples"};
  return !phase_of(name).empty() || std::find(std::begin(kCounted), std::end(kCounted), low) != std::end(kCounted);
}

bool is_whole(std::string_view number) { return std::all_of(number.begin(), number.end(), is_digit); }

}  // namespace

void LineScanner::number() {
  double value = 0;
  const size_t start = at_;
  size_t length = grouped_number_at(line_.substr(at_), value);
  if (length == 0) length = number_at(line_.substr(at_), value);
  at_ += std::max<size_t>(length, 1);
  if (length == 0) return forget();
  if (count_of_glued(start, value)) return;
  const auto here = [&](size_t ahead) { return at_ + ahead < line_.size() ? line_[at_ + ahead] : ' '; };
  if (is_glued(line_, at_)) {
    while (at_ < line_.size() && line_[at_] != ' ' && line_[at_] != ']' && line_[at_] != ')') ++at_;
    return forget();
  }
  const bool spaced = marker_ != Marker::none || (scan_.epoch && scan_.values.empty() && words_ == 0);
  const size_t total = spaced ? after_spaces(line_, at_ + 1) : at_ + 1;  // `iteration  100/  500000`, `epoch 1 |   200/ 2983 batches`
  if (here(0) == '/' && total < line_.size() && is_digit(line_[total])) return fraction(start, value, total);
  // yolox.core.trainer:257 and (trainer:721) are places in a program, cuda:0 is a device.
  const bool glued_name = separator_ && line_[start - 1] == ':' && value == std::floor(value);
  if (glued_name && is_place_in_program(line_, start)) {
    if (scan_.values.empty()) {  // `test:main:45` is in test.py
      scan_.phase.clear();
      section_.clear();
    }
    return forget();
  }
  if (glued_name && !is_metric_name(name_) && (name_.find('.') != std::string::npos || here(0) == ')' || is_device_name(last_))) return forget();
  if (is_letter(here(0))) {
    const size_t begin = at_;
    while (at_ < line_.size() && (is_letter(line_[at_]) || is_digit(line_[at_]) || line_[at_] == '/')) ++at_;
    const std::string_view unit = line_.substr(begin, at_ - begin);
    // 2.5G and 10.0s/epoch
    if (marker_ != Marker::none || (unit != "s" && unit != "ms" && unit != "it/s")) return forget();
  }
  if (step_before_value(start, value)) return;
  end_number(value);
}

/// `Train loss 100 0.5` and `Validation loss 100: 0.5` of NVIDIA's Tacotron 2: a whole number between a metric's name and its value is the step. In a line that has
/// said where the run is that is sure of a loss only: `Epoch 3 psnr 25 0.9`.
bool LineScanner::step_before_value(size_t start, double value) {
  if (separator_ || marker_ != Marker::none || words_ == 0 || !is_metric_name(name_) || !is_whole(line_.substr(start, at_ - start))) return false;
  if (!is_loss_name(name_) && (scan_.epoch || scan_.step || !scan_.values.empty())) return false;
  size_t next = after_spaces(line_, at_);
  if (next < line_.size() && line_[next] == ':') next = after_spaces(line_, next + 1);
  double ignored = 0;
  const std::string_view behind = line_.substr(std::min(next, line_.size()));
  const std::string_view text = behind.substr(0, number_at(behind, ignored));
  if (text.empty() || is_whole(text)) return false;  // `IoU 45 67 88`: of classes
  if (!scan_.step) scan_.step = Count{value, std::nullopt};
  at_ = next;
  return true;
}

/// `3epoch` and `101-200batch` of ESPnet: the number counts what is glued behind it.
bool LineScanner::count_of_glued(size_t start, double value) {
  size_t at = at_;
  const bool range = at < line_.size() && line_[at] == '-';
  if (marker_ != Marker::none || (separator_ && !range)) return false;
  if (range) {
    const size_t length = whole_number_at(line_.substr(at + 1), value);
    if (length == 0) return false;
    at += 1 + length;
  }
  const std::string_view word = range ? "batch" : "epoch";
  if (line_.substr(at, word.size()) != word || value != std::floor(value) || value < 0) return false;
  at += word.size();
  if (at < line_.size() && line_[at] != ' ' && line_[at] != ':' && line_[at] != ',') return false;
  marker_ = range ? Marker::step : Marker::epoch;
  marker_at_ = start;
  is_amount_ = false;
  if (!counted()) count({value, std::nullopt});
  at_ = at;
  forget();
  return true;
}

void LineScanner::average() {
  at_ = after_unit(line_, at_);
  if (const auto found = average_at(line_, at_)) {
    at_ = found->end;
    if (added_) scan_.averages.back().second = found->value;
  }
}

void LineScanner::end_number(double value) {
  added_ = false;
  if (separator_ || marker_ != Marker::none || words_ > 0) pair(value, separator_);
  average();
  forget();
}

void LineScanner::fraction(size_t start, double first, size_t total) {
  double second = 0;
  const size_t length = number_at(line_.substr(total), second);
  at_ = total + length;
  const bool glued = at_ < line_.size() && (line_[at_] == '/' || is_letter(line_[at_]) || line_[at_] == ':');
  if (length == 0 || glued || second <= 0) {
    while (at_ < line_.size() && line_[at_] != ' ') ++at_;
    return forget();
  }
  const Count found{first, second};
  const bool whole = first == std::floor(first) && is_whole(line_.substr(total, length));
  added_ = false;
  if (marker_ != Marker::none) {
    if (!counted() || marker_ == Marker::epoch) count(found);
  } else if ((separator_ || words_ > 0) && is_metric_name(name_)) {
    // Accuracy: 9904/10000 (99%), but of `acc: 0.91/0.93 loss: 3/4` the second may be the best one or another part's.
    const bool is_share = whole && first <= second && !is_loss_name(name_);
    add(is_share ? 100 * first / second : first);
  } else if (whole && (words_ == 0 || counts_batches(name_)) && !scan_.batch && scan_.values.empty() && (scan_.epoch || (after_spaces(line_, 0) == start && !is_clock(line_, after_spaces(line_, at_))))) {
    scan_.batch = found;
    scan_.batch_first = after_spaces(line_, 0) == start;
  }
  average();
  forget();
}

void LineScanner::pair(double value, bool separated) {
  // `Best epoch: 3`, `best model at step 100 with`
  if (best_ && marker_of(last_) != Marker::none) {
    open_best();
    return forget();
  }
  if (marker_ != Marker::none && std::isfinite(value) && value >= 0) {
    if (!counted()) count({value, std::nullopt});
    return forget();
  }
  // `Train: 0 [ 10/312 (3%)]`
  const size_t next = after_spaces(line_, at_);
  if (separated && words_ == 1 && !phase_of(name_).empty() && !scan_.epoch && has_total(line_, next)) {
    scan_.epoch = Count{value, std::nullopt};
    return forget();
  }
  const bool metric = is_metric_name(separated ? std::string_view(name_) : last_);
  const size_t behind = after_spaces(line_, at_);
  const bool percent = separated && !metric && behind < line_.size() && line_[behind] == '%';
  // `Accuracy of the network on the 10000 test images: 55 %`: the name is not beside the value.
  const std::string_view share = percent ? share_word(line_.substr(0, at_)) : std::string_view{};
  if (!share.empty()) {
    if (lower(last_) != share) name_ = share;  // `Max accuracy: 81.2 %` is another curve
    scan_.metric = true;
    add(value);
    return forget();
  }
  const bool named = metric || (separated ? !is_setting_name(name_) : is_companion_name(last_));
  if (named && (separated || is_metric_name(name_) || words_ <= 2)) add(value);
  forget();
}

void LineScanner::count(const Count& found) {
  counted() = found;
  const bool is_amount = is_amount_ && !found.of;
  const bool leads = !is_amount && leads_line(line_, marker_at_);
  if (marker_ == Marker::epoch) {
    scan_.epoch_leads = leads;
    epoch_is_amount_ = is_amount;
  } else if (marker_ == Marker::step) {
    scan_.step_leads = leads;
    scan_.step_of_phase = !scan_.phase.empty();
    step_is_amount_ = is_amount;
  }
}

void LineScanner::add(double value) {
  if (scan_.values.size() >= kMaxValues) return;
  const bool phase_alone = !phase_of(name_).empty();
  // `Epoch: 1, Train: 0.95, Val: 0.93`, but not `Train: 50000 images`.
  if (phase_alone && !(separator_ && scan_.epoch && value > 0 && value < 100 && value != std::floor(value))) return;
  scan_.metric = scan_.metric || is_metric_name(name_);
  std::string curve = group_ + (phase_alone ? name_ : curve_name(name_, last_, latest_phase_));
  if (!section_.empty() && phase_in(curve).empty() && !is_learning_rate(curve)) curve = section_ + "/" + curve;
  // `train loss 0.5 acc 0.8 val loss 0.6 acc 0.7`, `train_loss: 0.5, acc: 0.8, val_loss: 0.6, acc: 0.7`
  if (of_best_ && lower(curve).find("best") == std::string::npos) curve = "best " + curve;
  const std::string_view own_phase = phase_in(curve);
  if (!own_phase.empty()) latest_phase_ = own_phase;
  if (own_phase.empty() && !latest_phase_.empty() && has(curve)) curve = latest_phase_ + "/" + curve;
  if (has(curve)) return;  // of which of the two it would be the curve is not known
  scan_.values.emplace_back(curve, value);
  scan_.averages.emplace_back(std::move(curve), value);
  added_ = true;
}

bool LineScanner::has(const std::string& name) const {
  return std::any_of(scan_.values.begin(), scan_.values.end(), [&](const auto& one) { return one.first == name; });
}

}  // namespace ringlab
