// Changes of torchvision's models, by the libtorch version of its release.
#pragma once

#include <torch/version.h>

namespace ringlab::compat {

/// Momentum of MaxViT's batch norms: 0.99, so almost only the last batch's statistics, fixed in torchvision 0.18 (torch 2.3).
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
constexpr double kMaxVitMomentum = 0.01;
#else
constexpr double kMaxVitMomentum = 0.99;
#endif

}  // namespace ringlab::compat
