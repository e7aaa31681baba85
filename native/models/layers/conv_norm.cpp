#include "models/layers/conv_norm.h"

#include <torch/nn/functional/activation.h>
#include <torch/nn/init.h>

#include <algorithm>
#include <cmath>

namespace ringlab {
namespace nn = torch::nn;

torch::Tensor activate(torch::Tensor x, Activation activation) {
  switch (activation) {
    case Activation::none: return x;
    case Activation::relu: return x.relu_();
    // Their derivatives need the input: in place, autograd would copy it first.
    case Activation::relu6: return torch::relu6(x);
    case Activation::silu: return torch::silu(x);
    case Activation::hardswish: return torch::hardswish(x);
    case Activation::gelu: return torch::gelu(x);
  }
  return x;
}

ConvNorm::ConvNorm(int64_t in, int64_t out, const ConvNormOptions& options)
    : activation_(options.activation),
      conv_(register_module("0", nn::Conv2d(nn::Conv2dOptions(in, out, options.kernel)
                                                .stride(options.stride)
                                                .padding((options.kernel - 1) / 2)
                                                .groups(options.groups)
                                                .bias(false)))),
      norm_(register_module("1", BatchNorm2d(nn::BatchNorm2dOptions(out).eps(options.eps).momentum(options.momentum)))) {}

torch::Tensor ConvNorm::forward(torch::Tensor x) { return activate(norm_(conv_(x)), activation_); }

SqueezeExcitation::SqueezeExcitation(int64_t channels, int64_t squeezed, Activation activation, Gate gate)
    : activation_(activation),
      gate_(gate),
      fc1_(register_module("fc1", nn::Conv2d(nn::Conv2dOptions(channels, squeezed, 1)))),
      fc2_(register_module("fc2", nn::Conv2d(nn::Conv2dOptions(squeezed, channels, 1)))) {}

torch::Tensor SqueezeExcitation::forward(torch::Tensor x) {
  torch::Tensor scale = fc2_(activate(fc1_(torch::adaptive_avg_pool2d(x, {1, 1})), activation_));
  scale = gate_ == Gate::sigmoid ? torch::sigmoid(scale) : torch::hardsigmoid(scale);
  return scale * x;
}

torch::Tensor stochastic_depth(const torch::Tensor& x, double p, bool training) {
  if (!training || p == 0.0) return x;
  const double survival = 1.0 - p;
  std::vector<int64_t> rows(static_cast<size_t>(x.dim()), 1);
  rows[0] = x.size(0);
  torch::Tensor noise = torch::empty(rows, x.options()).bernoulli_(survival);
  if (survival > 0.0) noise.div_(survival);
  return x * noise;
}

void trunc_normal_(torch::Tensor tensor, double deviation) {
  const torch::NoGradGuard no_grad;
  const auto distribution = [&](double x) { return (1.0 + std::erf(x / deviation / std::sqrt(2.0))) / 2.0; };
  tensor.uniform_(2 * distribution(-2) - 1, 2 * distribution(2) - 1);
  tensor.erfinv_().mul_(deviation * std::sqrt(2.0)).add_(0.0).clamp_(-2.0, 2.0);
}

int64_t make_divisible(double channels, int64_t divisor) {
  const auto nearest = static_cast<int64_t>(channels + static_cast<double>(divisor) / 2) / divisor * divisor;
  const int64_t rounded = std::max(divisor, nearest);
  return static_cast<double>(rounded) < 0.9 * channels ? rounded + divisor : rounded;
}

void initialise_convolutions(torch::nn::Module& model) {
  for (const auto& module : model.modules(/*include_self=*/false)) {
    auto* conv = module->as<nn::Conv2d>();
    if (conv == nullptr) continue;
    nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut);
    if (conv->bias.defined()) nn::init::zeros_(conv->bias);
  }
}

}  // namespace ringlab
