// The two linear layers of a transformer block, as torchvision.ops.MLP builds and initialises them.
#pragma once

#include <torch/nn/modules/linear.h>

#include <cstdint>

namespace ringlab {

/// Linear, GELU, linear over the last dimension. Its children are "0" and "3": torchvision's 1, 2 and 4, GELU and dropouts of
/// probability 0, have no parameters.
class TransformerMlp : public torch::nn::Module {
 public:
  TransformerMlp(int64_t width, int64_t hidden);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::nn::Linear widen_;
  torch::nn::Linear narrow_;
};

}  // namespace ringlab
