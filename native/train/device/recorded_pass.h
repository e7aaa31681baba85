// Forward and backward of a batch as one recorded graph: the host launches each kernel once, not in every step.
#pragma once

#include <torch/types.h>

#include <functional>
#include <vector>

namespace ringlab {

struct PassAnswer {
  torch::Tensor loss;    ///< scalar
  torch::Tensor logits;  ///< (N, classes)
};

class RecordedPass {
 public:
  /// Computes loss, logits and the parameters' gradients of a batch; must not wait for the device.
  using Pass = std::function<PassAnswer(const torch::Tensor& images, const torch::Tensor& labels)>;
  /// Runs the function, or replays its recording: compat::StepGraph::run. The function reads and writes the same memory every
  /// time.
  using Recorder = std::function<void(const std::function<void()>&)>;

  RecordedPass(std::vector<torch::Tensor> parameters, Pass pass, Recorder recorder);

  /// Afterwards each parameter's gradient is this batch's only. The result is overwritten by the next run. Batches of the
  /// first one's shape use the recorder; others, as an epoch's last may be, are computed directly.
  PassAnswer run(const torch::Tensor& images, const torch::Tensor& labels);

 private:
  std::vector<torch::Tensor> parameters_;
  Pass pass_;
  Recorder recorder_;
  torch::Tensor images_;
  torch::Tensor labels_;
  PassAnswer answer_;
};

}  // namespace ringlab
