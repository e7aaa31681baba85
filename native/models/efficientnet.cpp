// EfficientNet (Tan and Le 2019) as torchvision 0.14 builds it: b0 to b4.
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <cmath>

#include "models/conv_norm.h"
#include "models/families.h"

namespace ringlab {
namespace efficientnet {

namespace nn = torch::nn;

struct Stage {
  int64_t expansion;
  int64_t kernel;
  int64_t stride;
  int64_t in;
  int64_t out;
  int64_t count;
};

/// The paper's Table 1: b0. The others multiply its widths and depths.
constexpr Stage kStages[] = {{1, 3, 1, 32, 16, 1}, {6, 3, 2, 16, 24, 2}, {6, 5, 2, 24, 40, 2}, {6, 3, 2, 40, 80, 3}, {6, 5, 1, 80, 112, 3}, {6, 5, 2, 112, 192, 4}, {6, 3, 1, 192, 320, 1}};

ConvNormOptions conv(int64_t kernel, int64_t stride, int64_t groups, Activation activation) {
  ConvNormOptions options;
  options.kernel = kernel;
  options.stride = stride;
  options.groups = groups;
  options.activation = activation;
  return options;
}

/// A mobile inverted bottleneck with squeeze and excitation; with a shortcut, its branch is dropped by stochastic depth.
class MBConv : public nn::Module {
 public:
  MBConv(int64_t in, int64_t out, int64_t stride, const Stage& stage, double drop) : shortcut_(stride == 1 && in == out), drop_(drop) {
    const int64_t expanded = make_divisible(static_cast<double>(in * stage.expansion));
    if (expanded != in) block_->push_back(std::make_shared<ConvNorm>(in, expanded, conv(1, 1, 1, Activation::silu)));
    block_->push_back(std::make_shared<ConvNorm>(expanded, expanded, conv(stage.kernel, stride, expanded, Activation::silu)));
    block_->push_back(std::make_shared<SqueezeExcitation>(expanded, std::max<int64_t>(1, in / 4), Activation::silu));
    block_->push_back(std::make_shared<ConvNorm>(expanded, out, conv(1, 1, 1, Activation::none)));
    register_module("block", block_);
  }

  torch::Tensor forward(torch::Tensor x) {
    torch::Tensor out = block_->forward(x);
    return shortcut_ ? stochastic_depth(out, drop_, is_training()).add_(x) : out;
  }

 private:
  bool shortcut_;
  double drop_;
  nn::Sequential block_;
};

struct Scale {
  double width;
  double depth;
  double dropout;  ///< before the logits
};

class EfficientNet : public Classifier {
 public:
  EfficientNet(const Scale& scale, const ModelSettings& settings) {
    constexpr double kStochasticDepth = 0.2;  // of the last block; it grows linearly from 0
    const auto width = [&](int64_t channels) { return make_divisible(static_cast<double>(channels) * scale.width); };
    const auto depth = [&](int64_t count) { return static_cast<int64_t>(std::ceil(static_cast<double>(count) * scale.depth)); };
    int64_t blocks = 0;
    for (const auto& stage : kStages) blocks += depth(stage.count);
    int64_t channels = width(kStages[0].in);
    features_->push_back(std::make_shared<ConvNorm>(settings.input_channels, channels, conv(3, 2, 1, Activation::silu)));
    int64_t block = 0;
    for (const auto& stage : kStages) {
      const auto row = std::make_shared<Chain>();
      for (int64_t i = 0; i < depth(stage.count); ++i) {
        const double drop = kStochasticDepth * static_cast<double>(block++) / static_cast<double>(blocks);
        row->push_back(std::make_shared<MBConv>(channels, width(stage.out), i == 0 ? stage.stride : 1, stage, drop));
        channels = width(stage.out);
      }
      features_->push_back(row);
    }
    features_->push_back(std::make_shared<ConvNorm>(channels, 4 * channels, conv(1, 1, 1, Activation::silu)));
    nn::Linear head(4 * channels, settings.classes);
    classifier_->push_back(nn::Dropout(scale.dropout));
    classifier_->push_back(head);
    register_module("features", features_);
    register_module("classifier", classifier_);
    initialise_convolutions(*this);
    const double bound = 1.0 / std::sqrt(static_cast<double>(settings.classes));
    nn::init::uniform_(head->weight, -bound, bound);
    nn::init::zeros_(head->bias);
  }

  torch::Tensor forward(torch::Tensor x) override { return classifier_->forward(torch::adaptive_avg_pool2d(features_->forward(x), {1, 1}).flatten(1)); }

 private:
  nn::Sequential features_;
  nn::Sequential classifier_;
};

Architecture architecture(const char* name, const Scale& scale) {
  return {name, [scale](const ModelSettings& settings) { return std::make_shared<EfficientNet>(scale, settings); }};
}

}  // namespace efficientnet

std::vector<Architecture> efficientnet_architectures() {
  using namespace efficientnet;
  return {
      architecture("efficientnet_b0", {1.0, 1.0, 0.2}), architecture("efficientnet_b1", {1.0, 1.1, 0.2}), architecture("efficientnet_b2", {1.1, 1.2, 0.3}),
      architecture("efficientnet_b3", {1.2, 1.4, 0.3}), architecture("efficientnet_b4", {1.4, 1.8, 0.4}),
  };
}

}  // namespace ringlab
