// What torchvision changed in its models, by the libtorch that its release belongs to.
#pragma once

#include <torch/version.h>

namespace ringlab::compat {

/// Momentum of MaxViT's batch norms: 0.99, hence nearly the last batch's statistics alone, until torchvision 0.18 (torch 2.3) mended it.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
constexpr double kMaxVitMomentum = 0.01;
#else
constexpr double kMaxVitMomentum = 0.99;
#endif

}  // namespace ringlab::compat
