// Tables of a name and a number in each line: Stable-Baselines3's, Lightning's results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringlab {

/// `| rollout/ |  |`, `|    ep_rew_mean | 22.5 |`, of a line that plain_line() made. What is in a table belongs together, and is known at its end.
class CellTable {
 public:
  /// False: the line is no row.
  bool take_row(std::string_view line);
  bool empty() const { return values_.empty(); }
  struct Rows {
    std::optional<double> epoch;
    std::optional<double> step;  ///< total_timesteps, else of a row such as `step`
    std::vector<std::pair<std::string, double>> values;
  };
  /// Its values without settings, if a metric is among them; then the table is empty.
  Rows end();

  const std::vector<std::pair<std::string, double>>& values() const { return values_; }
  const std::string& group() const { return group_; }
  void restore(std::vector<std::pair<std::string, double>> values, std::string group);

 private:
  std::vector<std::pair<std::string, double>> values_;
  std::string group_;  ///< `rollout/`
};

}  // namespace ringlab
