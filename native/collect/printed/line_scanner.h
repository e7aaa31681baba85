// Reads one printed line from its start to its end: what scan_line() works with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collect/printed/line_scan.h"
#include "collect/printed/metric_names.h"

namespace ringlab {

class LineScanner {
 public:
  explicit LineScanner(std::string_view line) : line_(line) {}

  LineScan run();

 private:
  void forget();
  bool ordinal();
  bool bracketed_phase();
  void spaces();
  void word();
  void separator();
  /// Brackets without counts divide.
  void bracket();

  // line_numbers.cpp
  void number();
  /// `98 %`, `300 images/s` and `6.9 (7.0)`: the unit, and an average that stands behind its value.
  void average();
  void end_number(double value);
  void fraction(size_t start, double first, size_t total);
  void pair(double value, bool separated);
  void add(double value);
  bool has(const std::string& name) const;

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

}  // namespace ringlab
