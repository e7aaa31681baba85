// Progress bars: tqdm's, ignite's, Ultralytics' and those of pytorch-cifar.
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
  bool nameless = false;             ///< training and evaluation draw the same bar
  std::string rest;                  ///< the postfix, and what follows the bar
};

/// ` 45%|████▌     | 45/100 [00:01<00:01, 32.1it/s, loss=0.123]`, or ` [==>...]  Step: 50ms | Loss: 2.3 | Acc: 10 % (13/128)  30/391`, `train: 50% ━━━ 1/2 1.7it/s
/// 0.2s<0.6s`, of a line that plain_line() made; nothing for other lines.
std::optional<ProgressBar> read_progress_bar(std::string_view line);

}  // namespace ringlab
