// The training loss.
#pragma once

#include "models/architectures/registry.h"

namespace ringlab {

/// Means over the batch, scalars with gradients.
struct Losses {
  torch::Tensor own;        ///< of the classifier itself: reported, and compared with the validation loss
  torch::Tensor objective;  ///< minimised: includes the auxiliary heads with their weight
};

/// Cross entropy with `labels`, (N) int64, on the device of the outputs; `smoothing` of each label is spread over all classes.
Losses losses_of(const Classifier& model, const Outputs& outputs, const torch::Tensor& labels, double smoothing = 0);

}  // namespace ringlab
