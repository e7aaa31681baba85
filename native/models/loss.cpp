#include "models/loss.h"

#include <torch/nn/functional/loss.h>

namespace ringlab {

Losses losses_of(const Classifier& model, const Outputs& outputs, const torch::Tensor& labels, double smoothing) {
  const auto entropy = [&](const torch::Tensor& logits) {
    return torch::nn::functional::cross_entropy(logits, labels, torch::nn::functional::CrossEntropyFuncOptions().label_smoothing(smoothing));
  };
  Losses losses;
  losses.own = entropy(outputs.logits);
  losses.objective = losses.own;
  for (const auto& head : outputs.auxiliary) losses.objective = losses.objective + model.auxiliary_weight() * entropy(head);
  return losses;
}

}  // namespace ringlab
