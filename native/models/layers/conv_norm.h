// Components shared by the newer families: a convolution with its norm and activation, squeeze and excitation, stochastic
// depth, and the truncated normal distribution, each as torchvision 0.14 computes it.
#pragma once

#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>

#include "models/layers/batch_norm.h"

namespace ringlab {

enum class Activation { none, relu, relu6, silu, hardswish, gelu };

/// May write into `x`, if that is cheaper.
torch::Tensor activate(torch::Tensor x, Activation activation);

struct ConvNormOptions {
  int64_t kernel = 3;  ///< padded so that a stride of 1 keeps the size
  int64_t stride = 1;
  int64_t groups = 1;
  Activation activation = Activation::none;
  double eps = 1e-5;  ///< of the batch norm, as is momentum
  double momentum = 0.1;
};

/// Convolution without bias, batch norm, activation: (N, in, H, W) to (N, out, H / stride, W / stride).
/// Its children are "0" and "1".
class ConvNorm : public torch::nn::Module {
 public:
  ConvNorm(int64_t in, int64_t out, const ConvNormOptions& options);
  torch::Tensor forward(torch::Tensor x);

 private:
  Activation activation_;
  torch::nn::Conv2d conv_;
  BatchNorm2d norm_;
};

/// A Sequential that can be an element of another one, unlike libtorch's, whose forward() is a template.
class Chain : public torch::nn::SequentialImpl {
 public:
  torch::Tensor forward(torch::Tensor x) { return torch::nn::SequentialImpl::forward(std::move(x)); }
};

/// Hu et al. 2017: every channel is scaled by a gate computed from all channels' means.
class SqueezeExcitation : public torch::nn::Module {
 public:
  enum class Gate { sigmoid, hardsigmoid };

  SqueezeExcitation(int64_t channels, int64_t squeezed, Activation activation = Activation::relu, Gate gate = Gate::sigmoid);
  torch::Tensor forward(torch::Tensor x);

 private:
  Activation activation_;
  Gate gate_;
  torch::nn::Conv2d fc1_;
  torch::nn::Conv2d fc2_;
};

/// Huang et al. 2016, mode "row": in training each image's branch is zero with probability `p`, else scaled by 1 / (1 - p).
/// Drawn from libtorch's default generator; no effect in evaluation.
torch::Tensor stochastic_depth(const torch::Tensor& x, double p, bool training);

/// torch.nn.init.trunc_normal_ with mean 0 and cuts at -2 and 2: the same draws.
void trunc_normal_(torch::Tensor tensor, double deviation);

/// The multiple of `divisor` nearest to `channels`, at least `divisor` and not more than 10 % below (MobileNet's rule).
int64_t make_divisible(double channels, int64_t divisor = 8);

/// Convolutions from a normal distribution over fan out, biases 0. Linear layers are left to the caller.
void initialise_convolutions(torch::nn::Module& model);

}  // namespace ringlab
