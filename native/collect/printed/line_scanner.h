// Reads one printed line from its start to its end: what scan_line() works with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collect/printed/line_scan.h"
#include "collect/printed/metric_names.h"

namespace ringlab {

constexpr size_t kMaxLineName = 80;

class LineScanner {
 public:
  explicit LineScanner(std::string_view line) : line_(line) {}

  LineScan run();

 private:
  void forget();
  bool ordinal();
  bool is_named_value() const;
  void spaces();
  void word();
  void separator();
  /// Brackets without counts divide.
  void bracket();

  // line_sections.cpp
  void take_phase(std::string_view word, std::string_view behind);
  bool bracketed_phase();
  bool bracket_of_name();
  bool section();
  bool name_follows() const;
  void open_section();
  void open_best();
  void sign();

  // line_numbers.cpp
  void number();
  bool count_of_glued(size_t start, double value);
  bool step_before_value(size_t start, double value);
  /// `98 %`, `300 images/s` and `6.9 (7.0)`: the unit, and an average that stands behind its value.
  void average();
  void end_number(double value);
  void fraction(size_t start, double first, size_t total);
  void pair(double value, bool separated);
  void add(double value);
  bool has(const std::string& name) const;

  /// The count that the words before say.
  void count(const Count& found);
  std::optional<Count>& counted() { return marker_ == Marker::epoch ? scan_.epoch : marker_ == Marker::step ? scan_.step : episode_; }

  std::string_view line_;
  size_t at_ = 0;
  std::string name_;  ///< words before a number
  size_t words_ = 0;
  std::string_view last_;
  bool separator_ = false;
  Marker marker_ = Marker::none;
  size_t marker_at_ = 0;      ///< where the word of `marker_` begins
  bool is_amount_ = false;    ///< it is `epochs`, `steps` or `batch`: without a total the number behind it may be the number of all, or a size
  bool epoch_is_amount_ = false;
  bool step_is_amount_ = false;
  std::string latest_phase_;       ///< of a name in this line
  std::string group_;              ///< of the names in a bracket
  std::string section_;            ///< `valid` behind `[valid]`, `val` behind `Val:`
  bool set_may_follow_ = false;    ///< the word before is `Evaluating` or the like
  std::optional<Count> episode_;   ///< where nothing else is counted
  bool best_ = false;              ///< the line has said `best`
  bool of_best_ = false;           ///< what follows are values of the best epoch
  bool added_ = false;             ///< the number before has become a value
  LineScan scan_;
};

}  // namespace ringlab
