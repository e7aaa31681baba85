#include "collect/printed/line_scan.h"

#include <cctype>
#include <cmath>

#include "collect/printed/metric_names.h"
#include "collect/printed/printed_number.h"

namespace ringlab {
namespace {

constexpr size_t kMaxValues = 64;
constexpr size_t kMaxWords = 4;
constexpr size_t kMaxName = 80;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0; }

class Scanner {
 public:
  explicit Scanner(std::string_view line) : line_(line) {}

  LineScan run() {
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (c == ' ') {
        spaces();
      } else if (is_letter(c) || (c == '@' && !name_.empty())) {
        word();
      } else if (is_number_start()) {
        number();
      } else if ((c == ':' || c == '=') && !name_.empty() && !separator_) {
        separator();
      } else if (c == '[') {
        bracket();
      } else if (c == '#' && marker_ != Marker::none) {
        ++at_;
      } else {
        forget();
        ++at_;
      }
    }
    const bool counted = scan_.epoch || scan_.step || scan_.batch;
    if (!scan_.metric && !counted) scan_.values.clear();
    return std::move(scan_);
  }

 private:
  void forget() {
    name_.clear();
    words_ = 0;
    separator_ = false;
    marker_ = Marker::none;
  }

  void spaces() {
    const size_t start = at_;
    while (at_ < line_.size() && line_[at_] == ' ') ++at_;
    // A gap divides columns, but may stand between a name and its number.
    const bool gap = at_ - start > 1;
    if (gap && at_ < line_.size() && is_letter(line_[at_]) && !separator_) forget();
  }

  bool is_number_start() const {
    const char c = line_[at_];
    const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : ' ';
    return is_digit(c) || ((c == '+' || c == '-' || c == '.') && (is_digit(next) || (next == '.' && c != '.'))) || (c == '-' && line_.substr(at_ + 1, 3) == "inf" && separator_);
  }

  void word() {
    const size_t start = at_;
    while (at_ < line_.size()) {
      const char c = line_[at_];
      const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : ' ';
      const bool inside = (c == '.' || c == '-' || c == '/' || c == '@' || c == '#') && (is_letter(next) || is_digit(next));
      if (!is_letter(c) && !is_digit(c) && !inside) break;
      ++at_;
    }
    const std::string_view word = line_.substr(start, at_ - start);
    double value = 0;
    // `loss: nan` is a value, `mode: train` is none; `Loss nan (nan)` is one where numbers stand beside it.
    const bool in_brackets = at_ + 1 < line_.size() && line_[at_] == ' ' && line_[at_ + 1] == '(';
    const bool expected = separator_ || (words_ > 0 && (in_brackets || !scan_.values.empty()));
    if (expected && (lower(word) == "nan" || lower(word) == "inf") && number_at(word, value) == word.size()) {
      pair(value, separator_);
      average();
      return forget();
    }
    if (separator_) forget();
    if (lower(word) == "is" && !name_.empty()) {
      separator_ = true;
      return;
    }
    if (scan_.phase.empty() && scan_.values.empty()) scan_.phase = phase_of(word);
    if (words_ == kMaxWords || name_.size() + word.size() > kMaxName) {
      const size_t keep = word.size() > kMaxName ? 0 : word.size();
      name_.assign(word.substr(0, keep));
      words_ = 1;
    } else {
      if (!name_.empty()) name_ += ' ';
      name_ += word;
      ++words_;
    }
    last_ = word;
    marker_ = marker_of(word);
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
    if (!found) return forget();
    if (found->second) {
      if (scan_.values.empty() && !scan_.epoch && words_ == 0) {
        scan_.epoch = found->first;
        scan_.step = found->second;
        at_ = found->end;
      }
      return forget();
    }
    at_ = found->end;
    if (marker_ == Marker::epoch) {
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
    const size_t length = number_at(line_.substr(at_), value);
    if (length == 0) {
      forget();
      ++at_;
      return;
    }
    at_ += length;
    const auto here = [&](size_t ahead) { return at_ + ahead < line_.size() ? line_[at_ + ahead] : ' '; };
    // 12:30:01, 2026-11-23, 127.0.0.1, 2.1.0+cu118: no numbers.
    const bool glued = (here(0) == ':' && is_digit(here(1))) || (here(0) == '-' && (is_digit(here(1)) || is_letter(here(1)))) || (here(0) == '.' && is_digit(here(1))) || (here(0) == '+' && !std::isspace(static_cast<unsigned char>(here(1))));
    if (glued) {
      while (at_ < line_.size() && line_[at_] != ' ' && line_[at_] != ']' && line_[at_] != ')') ++at_;
      return forget();
    }
    if (here(0) == '/' && is_digit(here(1))) return fraction(start, value);
    bool unit = false;
    if (is_letter(here(0))) {
      const size_t begin = at_;
      while (at_ < line_.size() && (is_letter(line_[at_]) || is_digit(line_[at_]) || line_[at_] == '/')) ++at_;
      const std::string_view letters = line_.substr(begin, at_ - begin);
      unit = letters == "s" || letters == "ms" || letters == "it/s" || letters == "x" || letters == "K" || letters == "k" || letters == "M" || letters == "G" || letters == "B";
      if (!unit) return forget();
      if (marker_ != Marker::none) return forget();  // 10.0s/epoch
      if (letters != "s" && letters != "ms" && letters != "it/s") return forget();
    }
    if (separator_ || marker_ != Marker::none || words_ > 0) {
      pair(value, separator_);
    }
    average();
    forget();
  }

  /// `98 %` and `6.9 (7.0)`: the unit, and an average that stands behind its value.
  void average() {
    size_t at = after_spaces(line_, at_);
    if (at < line_.size() && line_[at] == '%') at_ = at + 1;
    at = after_spaces(line_, at_);
    if (at == line_.size() || line_[at] != '(') return;
    double ignored = 0;
    const size_t begin = after_spaces(line_, at + 1);
    const size_t length = number_at(line_.substr(begin), ignored);
    if (length == 0) return;
    size_t end = begin + length;
    while (end < line_.size() && (line_[end] == '%' || line_[end] == ' ' || is_letter(line_[end]))) ++end;
    if (end < line_.size() && line_[end] == ')') at_ = end + 1;
  }

  void fraction(size_t start, double first) {
    ++at_;
    double second = 0;
    const size_t length = number_at(line_.substr(at_), second);
    at_ += length;
    const bool glued = at_ < line_.size() && (line_[at_] == '/' || is_letter(line_[at_]) || line_[at_] == ':');
    if (length == 0 || glued || second <= 0) {
      while (at_ < line_.size() && line_[at_] != ' ') ++at_;
      return forget();
    }
    const Count count{first, second};
    if (marker_ == Marker::epoch) {
      scan_.epoch = count;
    } else if (marker_ == Marker::step) {
      if (!scan_.step) scan_.step = count;
    } else if ((separator_ || words_ > 0) && is_metric_name(name_) && first <= second) {
      add(100 * first / second);  // Accuracy: 9904/10000 (99%)
    } else if (!scan_.batch && scan_.values.empty() && (after_spaces(line_, 0) == start || scan_.epoch)) {
      scan_.batch = count;
    }
    average();
    forget();
  }

  void pair(double value, bool separated) {
    if (marker_ != Marker::none && std::isfinite(value) && value >= 0) {
      auto& count = marker_ == Marker::epoch ? scan_.epoch : scan_.step;
      if (!count) count = Count{value, std::nullopt};
      forget();
      return;
    }
    const bool metric = is_metric_name(separated ? std::string_view(name_) : last_);
    const size_t behind = after_spaces(line_, at_);
    const bool percent = separated && !metric && behind < line_.size() && line_[behind] == '%';
    if (percent && add_share(value)) return forget();
    const bool named = metric || (separated ? !is_setting_name(name_) : is_companion_name(last_));
    if (named && (separated || is_metric_name(name_) || words_ <= 2)) add(value);
    forget();
  }

  /// `Accuracy of the network on the 10000 test images: 55 %`: the name is not beside the value.
  bool add_share(double value) {
    const std::string before = lower(line_.substr(0, at_));
    for (const std::string_view word : {"accuracy", "precision", "recall", "error"}) {
      if (before.find(word) == std::string::npos) continue;
      name_ = word;
      add(value);
      scan_.metric = true;
      return true;
    }
    return false;
  }

  void add(double value) {
    if (scan_.values.size() >= kMaxValues || !phase_of(name_).empty()) return;
    scan_.metric = scan_.metric || is_metric_name(name_);
    // `train loss`: the phase is a group of curves.
    const size_t space = name_.find(' ');
    const std::string_view phase = phase_of(std::string_view(name_).substr(0, space));
    if (space != std::string::npos && !phase.empty()) name_ = std::string(phase) + "/" + name_.substr(space + 1);
    scan_.values.emplace_back(name_, value);
  }

  std::string_view line_;
  size_t at_ = 0;
  std::string name_;  ///< words before a number
  size_t words_ = 0;
  std::string_view last_;
  bool separator_ = false;
  Marker marker_ = Marker::none;
  LineScan scan_;
};

}  // namespace

LineScan scan_line(std::string_view line) { return Scanner(line).run(); }

}  // namespace ringlab
