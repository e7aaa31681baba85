// Numbers with names, and counts of epochs and steps, in one printed line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collect/printed/counts.h"

namespace ringlab {

struct LineScan {
  std::optional<Count> epoch;
  std::optional<Count> step;   ///< after step, iter and the like
  std::optional<Count> batch;  ///< `[10/100]`, `[640/60000 (1%)]`, `10/100` at the start of the line
  bool batch_first = false;    ///< the line begins with `batch`, as Keras' do
  bool epoch_leads = false;    ///< the line begins with its epoch, so that it says where the run is, also without values
  bool step_leads = false;     ///< the same of `step`
  bool step_of_phase = false;  ///< `phase` is named before `step`: `Eval step 10`
  std::string phase;           ///< "train", "val", "test" before the first number; "" where the line does not say
  bool evaluation = false;     ///< `phase` is that of the evaluated set: `Evaluating train`
  bool best = false;           ///< of the text before a dict: its values were found before
  bool metric = false;         ///< one of `values` is a metric by its name
  std::vector<std::pair<std::string, double>> values;
  std::vector<std::pair<std::string, double>> averages;  ///< as `values`, with the average where one stands behind the value: `6.9 (7.0)`
};

/// Scans a line that plain_line() made: `loss: 0.1`, `Accuracy: 98 %`, `lr=1e-3`, `Loss 6.9 (7.0)`, `Accuracy: 9904/10000 (99%)` (as
/// percent), `Epoch: [0][ 10/100]`, `Epoch(train) [1][50/196]`, `[0/300][10/1251]`, `Epoch [1/5], Step [100/600]`, `[1,  2000] loss: 2.1`, `loss tensor(0.1, device='cuda:0')`. Values are kept where a metric is among them or
/// the line counts epochs or steps: ordinary log lines have none. Linear in the line's length.
LineScan scan_line(std::string_view line);

}  // namespace ringlab
