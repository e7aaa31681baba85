// The input transform of torchvision's googlenet and inception_v3 with transform_input=True.
#pragma once

#include <ATen/core/Tensor.h>

namespace ringlab {

/// Converts (N, C, H, W) images normalised with ImageNet's mean and deviation (grey ones with the middle of its three) to 0.5 and
/// 0.5 instead, which TensorFlow's weights were trained with. Bit-identical to torchvision's _transform_input().
at::Tensor transform_input(const at::Tensor& images);

}  // namespace ringlab
