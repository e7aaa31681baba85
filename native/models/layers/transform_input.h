// What torchvision's googlenet and inception_v3 do with their pictures where transform_input=True.
#pragma once

#include <ATen/core/Tensor.h>

namespace ringlab {

/// (N, C, H, W) pictures that were normalised with ImageNet's mean and deviation (grey ones with the middle of its three), as normalised
/// with 0.5 and 0.5 instead, which TensorFlow's weights were trained with. To the bit what torchvision's _transform_input() computes.
at::Tensor transform_input(const at::Tensor& images);

}  // namespace ringlab
