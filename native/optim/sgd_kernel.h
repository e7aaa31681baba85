// Stochastic gradient descent with momentum in one pass over memory, as libtorch's four operations add and round. No libtorch here.
#pragma once

#include <cstdint>

namespace ringlab {

struct SgdStep {
  float weight_decay = 0;
  float momentum = 0;
  float rate = 0;      ///< what the direction is multiplied by before it is added: minus the learning rate
  bool first = false;  ///< the momentum buffer is new: it becomes the direction
};

/// Has this CPU what sgd_step() needs (AVX2, FMA)?
bool has_sgd_kernel();

/// direction = gradient + weight_decay * parameter, momentum = momentum * step.momentum + direction, parameter += rate * momentum.
/// What is added to has its product rounded with it, but for the momentum's, which is rounded by itself; without weight decay the direction is the
/// gradient, without momentum (a nullptr) the parameter takes the direction.
void sgd_step(float* parameter, const float* gradient, float* momentum, int64_t count, const SgdStep& step);

}  // namespace ringlab
