#include "collect/printed/line_scan.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "collect/printed/chinese_words.h"
#include "collect/printed/metric_names.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

constexpr size_t kMaxValues = 64;
constexpr size_t kMaxWords = 4;
constexpr size_t kMaxName = 80;

class Scanner {
 public:
  explicit Scanner(std::string_view line) : line_(line) {}

  LineScan run() {
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (c == ' ') {
        spaces();
      } else if (is_beyond_ascii(c) && ordinal()) {
        continue;
      } else if (is_letter(c) || (c == '@' && !name_.empty())) {
        word();
      } else if (number_begins(line_, at_) || (separator_ && line_.substr(at_, 4) == "-inf")) {
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
      } else if (c == '.' && !phase_of(last_).empty() && words_ > 0) {
        ++at_;  // `Val. Loss`
      } else {
        forget();
        ++at_;
      }
    }
    if (!scan_.epoch && !scan_.batch && !scan_.step) scan_.step = episode_;
    if (!scan_.metric && !scan_.epoch && !scan_.step && !scan_.batch) scan_.values.clear();
    return std::move(scan_);
  }

 private:
  void forget() {
    name_.clear();
    words_ = 0;
    separator_ = false;
    marker_ = Marker::none;
  }

  bool ordinal() {
    const auto found = chinese_ordinal(line_, at_);
    if (!found) return false;
    forget();
    marker_ = found->marker;
    at_ = found->end;
    pair(found->at, false);
    return true;
  }

  bool bracketed_phase() {
    const size_t end = line_.find(')', at_);
    const std::string_view phase = end == std::string_view::npos ? std::string_view{} : phase_of(line_.substr(at_ + 1, end - at_ - 1));
    if (phase.empty()) return false;
    if (scan_.phase.empty()) scan_.phase = phase;
    at_ = end + 1;
    return true;
  }

  void spaces() {
    const size_t start = at_;
    at_ = after_spaces(line_, at_);
    // A gap divides columns, but may stand between a name and its number.
    if (at_ - start > 1 && at_ < line_.size() && is_letter(line_[at_]) && !separator_) forget();
  }

  void word() {
    const size_t start = at_;
    while (at_ < line_.size()) {
      const char c = line_[at_];
      const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : ' ';
      const bool inside = (c == '.' || c == '-' || c == '/' || c == '@' || c == '#') && (is_letter(next) || is_digit(next));
      if ((!is_letter(c) && !is_digit(c) && !inside) || (is_beyond_ascii(c) && chinese_is(line_, at_) > 0)) break;
      ++at_;
    }
    const std::string_view word = line_.substr(start, at_ - start);
    double value = 0;
    // `loss: nan` is a value, `mode: train` is none; `Loss nan (nan)` is one where numbers stand beside it.
    const bool in_brackets = at_ + 1 < line_.size() && line_[at_] == ' ' && line_[at_ + 1] == '(';
    const bool expected = separator_ || (words_ > 0 && (in_brackets || !scan_.values.empty()));
    if (expected && (lower(word) == "nan" || lower(word) == "inf") && number_at(word, value) == word.size()) return end_number(value);
    if (separator_) forget();
    if (word == "INFO" || word == "DEBUG" || word == "WARNING") return forget();
    if (lower(word) == "is" && !name_.empty()) {
      separator_ = true;
      return;
    }
    if (scan_.phase.empty() && scan_.values.empty()) scan_.phase = phase_of(word);
    if (words_ == kMaxWords || name_.size() + word.size() > kMaxName) {
      name_ = word.size() > kMaxName ? std::string_view{} : word;
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
  }

  void separator() {
    ++at_;
    const char next = at_ < line_.size() ? line_[at_] : ' ';
    // `std::cout`, `==`, `http://`: no name and value.
    if (next == ':' || next == '=' || next == '/') {
      forget();
      return;
    }
    separator_ = true;
  }

  /// Brackets without counts divide.
  void bracket() {
    ++at_;
    const auto found = bracket_counts(line_, at_);
    if (!found) {
      // `tot_loss[loss=0.5, …]`
      group_ = words_ == 1 && line_[at_ - 2] != ' ' ? name_ + "/" : "";
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
      scan_.epoch = found->first;
    } else if (marker_ == Marker::step) {
      if (!scan_.step) scan_.step = found->first;
    } else if (found->first.of && !scan_.batch) {
      scan_.batch = found->first;
    }
    forget();
  }

  void number() {
    double value = 0;
    const size_t start = at_;
    size_t length = grouped_number_at(line_.substr(at_), value);
    if (length == 0) length = number_at(line_.substr(at_), value);
    at_ += std::max<size_t>(length, 1);
    if (length == 0) return forget();
    const auto here = [&](size_t ahead) { return at_ + ahead < line_.size() ? line_[at_ + ahead] : ' '; };
    if (is_glued(line_, at_)) {
      while (at_ < line_.size() && line_[at_] != ' ' && line_[at_] != ']' && line_[at_] != ')') ++at_;
      return forget();
    }
    const size_t total = marker_ == Marker::none ? at_ + 1 : after_spaces(line_, at_ + 1);  // `iteration  100/  500000`
    if (here(0) == '/' && total < line_.size() && is_digit(line_[total])) return fraction(start, value, total);
    // yolox.core.trainer:257 and (trainer:721) are places in a program, cuda:0 is a device.
    const bool glued_name = separator_ && line_[start - 1] == ':' && value == std::floor(value);
    if (glued_name && !is_metric_name(name_) && (name_.find('.') != std::string::npos || here(0) == ')' || is_device_name(last_))) return forget();
    if (is_letter(here(0))) {
      const size_t begin = at_;
      while (at_ < line_.size() && (is_letter(line_[at_]) || is_digit(line_[at_]) || line_[at_] == '/')) ++at_;
      const std::string_view unit = line_.substr(begin, at_ - begin);
      // 2.5G and 10.0s/epoch
      if (marker_ != Marker::none || (unit != "s" && unit != "ms" && unit != "it/s")) return forget();
    }
    end_number(value);
  }

  /// `98 %`, `300 images/s` and `6.9 (7.0)`: the unit, and an average that stands behind its value.
  void average() {
    at_ = after_unit(line_, at_);
    if (const auto found = average_at(line_, at_)) {
      at_ = found->end;
      if (added_) scan_.averages.back().second = found->value;
    }
  }

  void end_number(double value) {
    added_ = false;
    if (separator_ || marker_ != Marker::none || words_ > 0) pair(value, separator_);
    average();
    forget();
  }

  void fraction(size_t start, double first, size_t total) {
    double second = 0;
    const size_t length = number_at(line_.substr(total), second);
    at_ = total + length;
    const bool glued = at_ < line_.size() && (line_[at_] == '/' || is_letter(line_[at_]) || line_[at_] == ':');
    if (length == 0 || glued || second <= 0) {
      while (at_ < line_.size() && line_[at_] != ' ') ++at_;
      return forget();
    }
    const Count count{first, second};
    added_ = false;
    if (marker_ != Marker::none) {
      if (!counted() || marker_ == Marker::epoch) counted() = count;
    } else if ((separator_ || words_ > 0) && is_metric_name(name_) && first <= second) {
      add(100 * first / second);  // Accuracy: 9904/10000 (99%)
    } else if (!scan_.batch && scan_.values.empty() && (scan_.epoch || (after_spaces(line_, 0) == start && !is_clock(line_, after_spaces(line_, at_))))) {
      scan_.batch = count;
    }
    average();
    forget();
  }

  void pair(double value, bool separated) {
    if (marker_ != Marker::none && std::isfinite(value) && value >= 0) {
      if (!counted()) counted() = Count{value, std::nullopt};
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

  void add(double value) {
    if (scan_.values.size() >= kMaxValues) return;
    const bool phase_alone = !phase_of(name_).empty();
    // `Epoch: 1, Train: 0.95, Val: 0.93`, but not `Train: 50000 images`.
    if (phase_alone && !(separator_ && scan_.epoch && value > 0 && value < 100 && value != std::floor(value))) return;
    scan_.metric = scan_.metric || is_metric_name(name_);
    std::string curve = group_ + (phase_alone ? name_ : curve_name(name_, last_, latest_phase_));
    // `train loss 0.5 acc 0.8 val loss 0.6 acc 0.7`
    if (!latest_phase_.empty() && has(curve)) curve = latest_phase_ + "/" + curve;
    scan_.values.emplace_back(curve, value);
    scan_.averages.emplace_back(std::move(curve), value);
    added_ = true;
  }

  bool has(const std::string& name) const {
    return std::any_of(scan_.values.begin(), scan_.values.end(), [&](const auto& one) { return one.first == name; });
  }

  std::optional<Count>& counted() { return marker_ == Marker::epoch ? scan_.epoch : marker_ == Marker::step ? scan_.step : episode_; }

  std::string_view line_;
  size_t at_ = 0;
  std::string name_;  ///< words before a number
  size_t words_ = 0;
  std::string_view last_;
  bool separator_ = false;
  Marker marker_ = Marker::none;
  std::string latest_phase_;       ///< of a name in this line
  std::string group_;              ///< of the names in a bracket
  std::optional<Count> episode_;   ///< where nothing else is counted
  bool best_ = false;              ///< the line has said `best`
  bool added_ = false;             ///< the number before has become a value
  LineScan scan_;
};

}  // namespace

LineScan scan_line(std::string_view line) { return Scanner(with_plain_numbers(line)).run(); }

}  // namespace ringlab
