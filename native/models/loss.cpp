#include "models/loss.h"

#include <torch/nn/functional/loss.h>

namespace ringlab {

Losses losses_of(const Classifier& model, const Outputs& outputs, const torch::Tensor& labels) {
  using torch::nn::functional::cross_entropy;
  Losses losses;
  losses.own = cross_entropy(outputs.logits, labels);
  losses.objective = losses.own;
  for (const auto& head : outputs.auxiliary) losses.objective = losses.objective + model.auxiliary_weight() * cross_entropy(head, labels);
  return losses;
}

}  // namespace ringlab
