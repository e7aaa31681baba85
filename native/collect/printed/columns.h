// Tables whose first line names the columns: fastai's epochs, YOLO's epochs and classes, detectron2's results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collect/printed/counts.h"

namespace ringlab {

struct ColumnRow {
  std::optional<Count> epoch;  ///< nothing in a table of classes
  std::optional<Count> step;
  std::vector<std::pair<std::string, double>> values;
};

/// Takes lines that plain_line() made. `Epoch  GPU_mem  box_loss  Size` names columns, and `1/100  2.5G  1.17  640` is one of its rows; so are
/// `epoch  train_loss  accuracy  time` and `0  0.51  0.85  00:10`, also as `| epoch | loss | accuracy |`. Of `Class  Images  Box(P  R  mAP50)` only the row of `all` counts.
class Columns {
 public:
  /// Remembers the names if the line is such a first line.
  bool take_names(std::string_view line);
  /// The line's values without settings and counts of images; nothing if it is no row of the table.
  std::optional<ColumnRow> row(std::string_view line) const;
  /// Its rows are results of an evaluation, not of an epoch of training.
  bool is_evaluation() const { return has_classes() || (has_bars_ && !has_axis()); }

  const std::vector<std::string>& names() const { return names_; }
  bool has_bars() const { return has_bars_; }
  void restore(std::vector<std::string> names, bool has_bars) {
    names_ = std::move(names);
    has_bars_ = has_bars;
  }

 private:
  bool take_cells(const std::vector<std::string_view>& cells);
  bool has_axis() const;
  bool has_classes() const { return !has_bars_ && !names_.empty() && names_.front() == "Class"; }

  bool has_bars_ = false;
  std::vector<std::string> names_;
};

}  // namespace ringlab
