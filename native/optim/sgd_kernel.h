// Stochastic gradient descent with momentum in one pass over memory, with the additions and roundings of libtorch's four
// operations. Independent of libtorch.
#pragma once

#include <cstdint>

namespace ringlab {

struct SgdStep {
  float weight_decay = 0;
  float momentum = 0;
  float rate = 0;      ///< factor of the direction: minus the learning rate
  bool first = false;  ///< the momentum buffer is new: it is set to the direction
};

/// Does this CPU support sgd_step() (AVX2, FMA)?
bool has_sgd_kernel();

/// direction = gradient + weight_decay * parameter, momentum = momentum * step.momentum + direction, parameter += rate *
/// momentum. Products are fused with their addition, except for the momentum's, which is rounded separately; without weight decay
/// the direction is the gradient, without momentum (a nullptr) the parameter uses the direction.
void sgd_step(float* parameter, const float* gradient, float* momentum, int64_t count, const SgdStep& step);

}  // namespace ringlab
