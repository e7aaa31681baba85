// MobileNetV3 (Howard et al. 2019) as torchvision 0.14 builds it.
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/conv_norm.h"

namespace ringlab {
namespace mobilenet_v3 {

namespace nn = torch::nn;

constexpr auto kReLU = Activation::relu;
constexpr auto kSwish = Activation::hardswish;

/// One row of the paper's Table 1 or 2.
struct Bottleneck {
  int64_t kernel;
  int64_t expanded;
  int64_t out;
  bool squeeze;
  Activation activation;
  int64_t stride;
};

ConvNormOptions conv(int64_t kernel, int64_t stride, int64_t groups, Activation activation) {
  return {kernel, stride, groups, activation, 0.001, 0.01};
}

class InvertedResidual : public nn::Module {
 public:
  InvertedResidual(int64_t in, const Bottleneck& line) : shortcut_(line.stride == 1 && in == line.out) {
    if (line.expanded != in) block_->push_back(std::make_shared<ConvNorm>(in, line.expanded, conv(1, 1, 1, line.activation)));
    block_->push_back(std::make_shared<ConvNorm>(line.expanded, line.expanded, conv(line.kernel, line.stride, line.expanded, line.activation)));
    if (line.squeeze) {
      const int64_t squeezed = make_divisible(static_cast<double>(line.expanded / 4));
      block_->push_back(std::make_shared<SqueezeExcitation>(line.expanded, squeezed, Activation::relu, SqueezeExcitation::Gate::hardsigmoid));
    }
    block_->push_back(std::make_shared<ConvNorm>(line.expanded, line.out, conv(1, 1, 1, Activation::none)));
    register_module("block", block_);
  }

  torch::Tensor forward(torch::Tensor x) {
    torch::Tensor out = block_->forward(x);
    return shortcut_ ? out.add_(x) : out;
  }

 private:
  bool shortcut_;
  nn::Sequential block_;
};

class MobileNetV3 : public Classifier {
 public:
  /// `last`: width of the hidden layer before the logits.
  MobileNetV3(const std::vector<Bottleneck>& lines, int64_t last, const ModelSettings& settings) {
    int64_t channels = 16;
    features_->push_back(std::make_shared<ConvNorm>(settings.input_channels, channels, conv(3, 2, 1, kSwish)));
    for (const auto& line : lines) {
      features_->push_back(std::make_shared<InvertedResidual>(channels, line));
      channels = line.out;
    }
    features_->push_back(std::make_shared<ConvNorm>(channels, 6 * channels, conv(1, 1, 1, kSwish)));
    register_module("features", features_);
    hidden_ = nn::Linear(6 * channels, last);
    logits_ = nn::Linear(last, settings.classes);
    nn::Sequential classifier;
    classifier->push_back("0", hidden_);
    classifier->push_back("3", logits_);  // 1 and 2 are the activation and the dropout, without parameters
    register_module("classifier", classifier);
    initialise_convolutions(*this);
    for (auto* linear : {&hidden_, &logits_}) {
      nn::init::normal_((*linear)->weight, 0, 0.01);
      nn::init::zeros_((*linear)->bias);
    }
  }

  torch::Tensor forward(torch::Tensor x) override {
    x = torch::adaptive_avg_pool2d(features_->forward(x), {1, 1}).flatten(1);
    x = activate(hidden_(x), kSwish);
    return logits_(torch::dropout(x, 0.2, is_training()));
  }

 private:
  nn::Sequential features_;
  nn::Linear hidden_{nullptr};
  nn::Linear logits_{nullptr};
};

const std::vector<Bottleneck> kSmall{
    {3, 16, 16, true, kReLU, 2},    {3, 72, 24, false, kReLU, 2},   {3, 88, 24, false, kReLU, 1},   {5, 96, 40, true, kSwish, 2},
    {5, 240, 40, true, kSwish, 1},  {5, 240, 40, true, kSwish, 1},  {5, 120, 48, true, kSwish, 1},  {5, 144, 48, true, kSwish, 1},
    {5, 288, 96, true, kSwish, 2},  {5, 576, 96, true, kSwish, 1},  {5, 576, 96, true, kSwish, 1},
};

const std::vector<Bottleneck> kLarge{
    {3, 16, 16, false, kReLU, 1},    {3, 64, 24, false, kReLU, 2},    {3, 72, 24, false, kReLU, 1},    {5, 72, 40, true, kReLU, 2},
    {5, 120, 40, true, kReLU, 1},    {5, 120, 40, true, kReLU, 1},    {3, 240, 80, false, kSwish, 2},  {3, 200, 80, false, kSwish, 1},
    {3, 184, 80, false, kSwish, 1},  {3, 184, 80, false, kSwish, 1},  {3, 480, 112, true, kSwish, 1},  {3, 672, 112, true, kSwish, 1},
    {5, 672, 160, true, kSwish, 2},  {5, 960, 160, true, kSwish, 1},  {5, 960, 160, true, kSwish, 1},
};

}  // namespace mobilenet_v3

std::vector<Architecture> mobilenet_v3_architectures() {
  using namespace mobilenet_v3;
  return {
      {"mobilenet_v3_small", [](const ModelSettings& settings) { return std::make_shared<MobileNetV3>(kSmall, 1024, settings); }},
      {"mobilenet_v3_large", [](const ModelSettings& settings) { return std::make_shared<MobileNetV3>(kLarge, 1280, settings); }},
  };
}

}  // namespace ringlab
