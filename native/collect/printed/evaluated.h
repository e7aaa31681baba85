// Evaluations that print a line now and then, and a summary at their end.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collect/printed/line_scan.h"

namespace ringlab {

/// `Test: [ 10/50] … Loss 6.5 (6.2)`, `Test (EMA): [` of main.py, timm, torchvision's and Swin's scripts: the averages so far, which count at the end, in ` * Acc@1 12.3` or
/// the line of the last batch.
class Evaluated {
 public:
  /// Whether the line is one of an evaluation under way. At the last batch `scan` has the averages, else nothing.
  bool take(std::string_view line, LineScan& scan);
  /// Whether the line is a summary: then `scan` has its phase, and the loss of the lines before it where it has none of its own.
  bool finish(std::string_view line, LineScan& scan);

  const std::vector<std::pair<std::string, double>>& averages() const { return averages_; }
  void restore(std::vector<std::pair<std::string, double>> averages) { averages_ = std::move(averages); }

 private:
  std::vector<std::pair<std::string, double>> averages_;
};

}  // namespace ringlab
