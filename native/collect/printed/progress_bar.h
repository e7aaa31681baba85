// tqdm's progress bars.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringlab {

struct ProgressBar {
  std::string description;           ///< before the percentage, without its last colon
  double at = 0;
  std::optional<double> of;
  std::optional<double> remaining;   ///< seconds
  std::optional<double> per_second;  ///< bars that are fast count bytes or data, not steps
  bool epochs = false;               ///< counts epochs
  bool bytes = false;                ///< counts bytes: a download
  std::string rest;                  ///< the postfix, and what follows the bar
};

/// ` 45%|████▌     | 45/100 [00:01<00:01, 32.1it/s, loss=0.123]`, of a line that plain_line() made; nothing for other lines.
std::optional<ProgressBar> read_progress_bar(std::string_view line);

}  // namespace ringlab
