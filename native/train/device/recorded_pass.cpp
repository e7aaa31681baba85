#include "train/device/recorded_pass.h"

#include <utility>

namespace ringlab {

RecordedPass::RecordedPass(std::vector<torch::Tensor> parameters, Pass pass, Recorder recorder)
    : parameters_(std::move(parameters)), pass_(std::move(pass)), recorder_(std::move(recorder)) {}

PassAnswer RecordedPass::run(const torch::Tensor& images, const torch::Tensor& labels) {
  if (images_.defined() && images.sizes() != images_.sizes()) {
    // Into the gradients' recorded memory, if there is any.
    for (auto& parameter : parameters_) {
      if (parameter.grad().defined()) parameter.mutable_grad().zero_();
    }
    return pass_(images, labels);
  }
  if (images_.defined()) {
    images_.copy_(images);
    labels_.copy_(labels);
  } else {
    images_ = images.clone();  // keeps the memory format
    labels_ = labels.clone();
  }
  recorder_([this] {
    // Backward then allocates new gradients in the recording's memory, and does not accumulate.
    for (auto& parameter : parameters_) parameter.mutable_grad().reset();
    answer_ = pass_(images_, labels_);
  });
  return answer_;
}

}  // namespace ringlab
