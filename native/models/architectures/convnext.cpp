// ConvNeXt (Liu et al. 2022) as torchvision 0.14 builds it.
#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/normalization.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <array>
#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/conv_norm.h"

namespace ringlab {
namespace convnext {

namespace nn = torch::nn;

constexpr double kEps = 1e-6;

/// Normalises each pixel of (N, C, H, W) over its channels.
class LayerNorm2d : public nn::LayerNormImpl {
 public:
  explicit LayerNorm2d(int64_t channels) : nn::LayerNormImpl(nn::LayerNormOptions({channels}).eps(kEps)) {}

  torch::Tensor forward(torch::Tensor x) { return nn::LayerNormImpl::forward(x.permute({0, 2, 3, 1})).permute({0, 3, 1, 2}); }
};

/// 7x7 depthwise, then at each pixel a norm and two linear layers. torchvision's children 1, 4 and 6 have no parameters.
class Branch : public nn::Module {
 public:
  explicit Branch(int64_t channels)
      : conv_(register_module("0", nn::Conv2d(nn::Conv2dOptions(channels, channels, 7).padding(3).groups(channels)))),
        norm_(register_module("2", nn::LayerNorm(nn::LayerNormOptions({channels}).eps(kEps)))),
        widen_(register_module("3", nn::Linear(channels, 4 * channels))),
        narrow_(register_module("5", nn::Linear(4 * channels, channels))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    return narrow_(torch::gelu(widen_(norm_(conv_(x).permute({0, 2, 3, 1}))))).permute({0, 3, 1, 2});
  }

 private:
  nn::Conv2d conv_;
  nn::LayerNorm norm_;
  nn::Linear widen_;
  nn::Linear narrow_;
};

class Block : public nn::Module {
 public:
  Block(int64_t channels, double drop) : drop_(drop), branch_(register_module("block", std::make_shared<Branch>(channels))) {
    constexpr double kLayerScale = 1e-6;
    layer_scale_ = register_parameter("layer_scale", torch::ones({channels, 1, 1}) * kLayerScale);
  }

  torch::Tensor forward(torch::Tensor x) {
    const torch::Tensor scaled = layer_scale_ * branch_->forward(x);
    return stochastic_depth(scaled, drop_, is_training()).add_(x);
  }

 private:
  double drop_;
  std::shared_ptr<Branch> branch_;
  torch::Tensor layer_scale_;
};

struct Shape {
  std::array<int64_t, 4> channels;
  std::array<int64_t, 4> depths;
  double stochastic_depth;  ///< of the last block; increases linearly from 0
};

class ConvNeXt : public Classifier {
 public:
  ConvNeXt(const Shape& shape, const ModelSettings& settings) {
    const auto stem = std::make_shared<Chain>();
    stem->push_back(nn::Conv2d(nn::Conv2dOptions(settings.input_channels, shape.channels[0], 4).stride(4)));
    stem->push_back(std::make_shared<LayerNorm2d>(shape.channels[0]));
    features_->push_back(stem);
    int64_t blocks = 0;
    for (const auto depth : shape.depths) blocks += depth;
    int64_t block = 0;
    for (size_t stage = 0; stage < shape.channels.size(); ++stage) {
      const int64_t channels = shape.channels[stage];
      const auto row = std::make_shared<Chain>();
      for (int64_t i = 0; i < shape.depths[stage]; ++i) {
        row->push_back(std::make_shared<Block>(channels, shape.stochastic_depth * static_cast<double>(block++) / (static_cast<double>(blocks) - 1.0)));
      }
      features_->push_back(row);
      if (stage + 1 == shape.channels.size()) break;
      const auto smaller = std::make_shared<Chain>();
      smaller->push_back(std::make_shared<LayerNorm2d>(channels));
      smaller->push_back(nn::Conv2d(nn::Conv2dOptions(channels, shape.channels[stage + 1], 2).stride(2)));
      features_->push_back(smaller);
    }
    register_module("features", features_);
    norm_ = std::make_shared<LayerNorm2d>(shape.channels.back());
    head_ = nn::Linear(shape.channels.back(), settings.classes);
    nn::Sequential classifier;
    classifier->push_back("0", norm_);
    classifier->push_back("2", head_);  // 1 flattens
    register_module("classifier", classifier);
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<nn::Conv2d>()) initialise(conv->weight, conv->bias);
      if (auto* linear = module->as<nn::Linear>()) initialise(linear->weight, linear->bias);
    }
  }

  torch::Tensor forward(torch::Tensor x) override {
    x = torch::adaptive_avg_pool2d(features_->forward(x), {1, 1});
    return head_(norm_->forward(x).flatten(1));
  }

 private:
  static void initialise(torch::Tensor& weight, torch::Tensor& bias) {
    trunc_normal_(weight, 0.02);
    nn::init::zeros_(bias);
  }

  nn::Sequential features_;
  std::shared_ptr<LayerNorm2d> norm_;
  nn::Linear head_{nullptr};
};

Architecture architecture(const char* name, const Shape& shape) {
  return {name, [shape](const ModelSettings& settings) { return std::make_shared<ConvNeXt>(shape, settings); }};
}

}  // namespace convnext

std::vector<Architecture> convnext_architectures() {
  using namespace convnext;
  return {
      architecture("convnext_tiny", {{96, 192, 384, 768}, {3, 3, 9, 3}, 0.1}),
      architecture("convnext_small", {{96, 192, 384, 768}, {3, 3, 27, 3}, 0.4}),
      architecture("convnext_base", {{128, 256, 512, 1024}, {3, 3, 27, 3}, 0.5}),
      architecture("convnext_large", {{192, 384, 768, 1536}, {3, 3, 27, 3}, 0.5}),
  };
}

}  // namespace ringlab
