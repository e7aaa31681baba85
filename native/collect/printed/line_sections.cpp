// Phases that hold for a part of a printed line: `Train: loss=0.5 acc=0.9 | Val: loss=0.6`.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "collect/printed/counts.h"
#include "collect/printed/line_scanner.h"
#include "collect/printed/metric_names.h"
#include "collect/records/phases.h"
#include "collect/records/printed_number.h"

namespace ringlab {
namespace {

/// The phase of a name that says nothing else: `Train`, `Validation set`, `Test results`.
std::string_view phase_alone(std::string_view name) {
  const size_t space = name.find(' ');
  const std::string behind = space == std::string_view::npos ? "" : lower(name.substr(space + 1));
  return behind.empty() || behind.front() == '(' || behind == "set" || behind == "results" || behind == "metrics" ? phase_of(name.substr(0, space)) : std::string_view{};
}

/// Whether it names a part of the data: `train`, `test`, and `training` of `training set`.
bool names_set(std::string_view word, std::string_view behind) {
  if (phase_of(word).empty() || is_evaluation(word)) return false;
  const std::string low = lower(word);
  const bool is_work = low.size() > 3 && low.substr(low.size() - 3) == "ing";
  return !is_work || behind.substr(0, 4) == " set" || behind.substr(0, 5) == " data";
}

}  // namespace

/// Before the line's first value. `Evaluating train` and `evaluation on the test set` say of which set what follows is.
void LineScanner::take_phase(std::string_view word, std::string_view behind) {
  if (!scan_.values.empty()) return;
  if (set_may_follow_ && scan_.phase == "val" && names_set(word, behind)) {
    scan_.evaluation = true;
    scan_.phase = phase_of(word);
    name_.clear();
    words_ = 0;
  } else if (scan_.phase.empty()) {
    scan_.phase = phase_of(word);
  }
  constexpr std::string_view kBetween[] = {"on", "the", "of", "for", "results"};
  set_may_follow_ = is_evaluation(word) || (set_may_follow_ && std::find(std::begin(kBetween), std::end(kBetween), lower(word)) != std::end(kBetween));
}

bool LineScanner::bracketed_phase() {
  const size_t end = line_.find(')', at_);
  const std::string_view phase = end == std::string_view::npos ? std::string_view{} : phase_of(line_.substr(at_ + 1, end - at_ - 1));
  if (phase.empty()) return false;
  if (scan_.phase.empty()) scan_.phase = phase;
  at_ = end + 1;
  return true;
}

/// `loss (batch)=0.5`, `Accuracy (%): 91.2`: a word in brackets before ':' or '=' is a part of the name, and a phase there is the name's: `Loss(val): 0.5`.
bool LineScanner::bracket_of_name() {
  const size_t end = line_.substr(0, at_ + kMaxLineName).find(')', at_);
  if (end == std::string_view::npos || name_.size() + end - at_ > kMaxLineName) return false;
  const std::string_view word = line_.substr(at_ + 1, end - at_ - 1);
  const auto is_part = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '@' || c == '.' || c == '/'; };
  if (word != "%" && (word.empty() || !is_letter(word.front()) || !std::all_of(word.begin(), word.end(), is_part))) return false;
  const size_t sign = after_spaces(line_, end + 1);
  if (sign >= line_.size() || (line_[sign] != ':' && line_[sign] != '=')) return false;
  const std::string_view phase = phase_of(word);
  if (phase.empty() || !phase_in(name_).empty()) {
    const size_t begin = line_[at_ - 1] == ' ' ? at_ - 1 : at_;
    name_ += line_.substr(begin, end + 1 - begin);
  } else {
    take_phase(word, {});
    name_.insert(0, std::string(phase) + " ");
    ++words_;
  }
  at_ = end + 1;
  return true;
}

/// `[train] loss=80.5, acc=0.3, [valid] loss=60.5, [att_plot] time=3`: a phase in brackets is that of what follows, until another bracket.
bool LineScanner::section() {
  const size_t end = std::min(line_.find(']', at_), line_.size());
  const std::string_view word = line_.substr(at_, end - at_);
  if (end == line_.size() || word.empty() || word.size() > kMaxLineName || !std::all_of(word.begin(), word.end(), is_letter)) return false;
  const std::string_view phase = phase_of(word);
  if (phase.empty() && section_.empty()) return false;
  if (scan_.phase.empty() && scan_.values.empty()) scan_.phase = phase;
  section_ = phase.empty() ? word : phase;
  latest_phase_.clear();
  at_ = end + 1;
  return true;
}

/// Whether a letter is next, after spaces.
bool LineScanner::name_follows() const {
  const size_t next = after_spaces(line_, at_);
  return next < line_.size() && is_letter(line_[next]);
}

/// A phase that stands alone before a sign and a name is that of the names behind it, until the next one.
void LineScanner::open_section() {
  const std::string_view phase = phase_alone(name_);
  if (phase.empty()) return;
  section_ = phase;
  latest_phase_.clear();
}

/// `Best: epoch 3, acc 0.9` and `Best epoch: 3 with loss 0.5`: without a metric of its own `best` is said of all that follows. Of `best acc: 0.9, loss: 0.5` it is not.
void LineScanner::open_best() {
  of_best_ = of_best_ || (best_ && scan_.values.empty() && lower(name_).find("best") != std::string::npos && !is_metric_name(name_));
}

/// A sign that divides: `Train | loss`, `Train - Loss`, `Train (loss`, `Train => loss`.
void LineScanner::sign() {
  const char c = line_[at_++];
  if ((c == '|' || c == '-' || c == '(' || c == '>') && name_follows()) {
    open_section();
    open_best();
  }
  forget();
}

}  // namespace ringlab
