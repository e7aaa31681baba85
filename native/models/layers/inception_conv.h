// The convolution of both Inceptions: without bias, batch norm with its own epsilon, ReLU; and their pooling.
#pragma once

#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <utility>

#include "models/layers/batch_norm.h"

namespace ringlab {

/// A size in each direction: height, width.
using Extent = std::pair<int64_t, int64_t>;

struct InceptionConvOptions {
  Extent kernel{1, 1};
  int64_t stride = 1;
  Extent padding{0, 0};
};

/// (N, in, H, W) to (N, out, H', W'). Its children are "conv" and "bn".
class InceptionConv : public torch::nn::Module {
 public:
  InceptionConv(int64_t in, int64_t out, const InceptionConvOptions& options = {});
  torch::Tensor forward(torch::Tensor x);

 private:
  torch::nn::Conv2d conv_;
  BatchNorm2d bn_;
};

/// Options for a square kernel.
InceptionConvOptions square(int64_t kernel, int64_t stride = 1, int64_t padding = 0);

}  // namespace ringlab
