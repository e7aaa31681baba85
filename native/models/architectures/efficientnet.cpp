// EfficientNet (Tan and Le 2019) and its second version (Tan and Le 2021) as torchvision 0.14 builds them.
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/conv_norm.h"

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
  bool fused = false;  ///< one expanding convolution instead of 1x1 and depthwise
};

struct Shape {
  std::vector<Stage> stages;
  int64_t last;    ///< channels before the logits
  double dropout;  ///< before the logits
  double eps;      ///< of the batch norms, as is momentum
  double momentum;
};

ConvNormOptions conv(int64_t kernel, int64_t stride, int64_t groups, Activation activation, const Shape& shape) {
  return {kernel, stride, groups, activation, shape.eps, shape.momentum};
}

/// A mobile inverted bottleneck with squeeze and excitation, or its fused form; stochastic depth drops the branch of
/// those with a shortcut.
class MBConv : public nn::Module {
 public:
  MBConv(int64_t in, int64_t stride, const Stage& stage, const Shape& shape, double drop) : shortcut_(stride == 1 && in == stage.out), drop_(drop) {
    const int64_t expanded = make_divisible(static_cast<double>(in * stage.expansion));
    const auto add = [&](int64_t from, int64_t to, int64_t kernel, int64_t step, int64_t groups, Activation activation) {
      block_->push_back(std::make_shared<ConvNorm>(from, to, conv(kernel, step, groups, activation, shape)));
    };
    if (stage.fused) {
      add(in, expanded, stage.kernel, stride, 1, Activation::silu);
      if (expanded != in) add(expanded, stage.out, 1, 1, 1, Activation::none);
    } else {
      if (expanded != in) add(in, expanded, 1, 1, 1, Activation::silu);
      add(expanded, expanded, stage.kernel, stride, expanded, Activation::silu);
      block_->push_back(std::make_shared<SqueezeExcitation>(expanded, std::max<int64_t>(1, in / 4), Activation::silu));
      add(expanded, stage.out, 1, 1, 1, Activation::none);
    }
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

class EfficientNet : public Classifier {
 public:
  EfficientNet(const Shape& shape, const ModelSettings& settings) {
    constexpr double kStochasticDepth = 0.2;  // of the last block; increases linearly from 0
    int64_t blocks = 0;
    for (const auto& stage : shape.stages) blocks += stage.count;
    int64_t channels = shape.stages[0].in;
    features_->push_back(std::make_shared<ConvNorm>(settings.input_channels, channels, conv(3, 2, 1, Activation::silu, shape)));
    int64_t block = 0;
    for (const auto& stage : shape.stages) {
      const auto row = std::make_shared<Chain>();
      for (int64_t i = 0; i < stage.count; ++i) {
        const double drop = kStochasticDepth * static_cast<double>(block++) / static_cast<double>(blocks);
        row->push_back(std::make_shared<MBConv>(channels, i == 0 ? stage.stride : 1, stage, shape, drop));
        channels = stage.out;
      }
      features_->push_back(row);
    }
    features_->push_back(std::make_shared<ConvNorm>(channels, shape.last, conv(1, 1, 1, Activation::silu, shape)));
    nn::Linear head(shape.last, settings.classes);
    classifier_->push_back(nn::Dropout(shape.dropout));
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

/// The first paper's Table 1, with its width and depth multipliers.
Shape first(double width, double depth, double dropout, double eps = 1e-5, double momentum = 0.1) {
  Shape shape{{{1, 3, 1, 32, 16, 1}, {6, 3, 2, 16, 24, 2}, {6, 5, 2, 24, 40, 2}, {6, 3, 2, 40, 80, 3}, {6, 5, 1, 80, 112, 3}, {6, 5, 2, 112, 192, 4}, {6, 3, 1, 192, 320, 1}}, 0, dropout, eps, momentum};
  for (auto& stage : shape.stages) {
    stage.in = make_divisible(static_cast<double>(stage.in) * width);
    stage.out = make_divisible(static_cast<double>(stage.out) * width);
    stage.count = static_cast<int64_t>(std::ceil(static_cast<double>(stage.count) * depth));
  }
  shape.last = 4 * shape.stages.back().out;
  return shape;
}

/// The second paper's Table 4 and its larger variants.
Shape second(std::vector<Stage> stages, double dropout) { return {std::move(stages), 1280, dropout, 1e-3, 0.1}; }

Architecture architecture(const char* name, const Shape& shape) {
  return {name, [shape](const ModelSettings& settings) { return std::make_shared<EfficientNet>(shape, settings); }};
}

}  // namespace efficientnet

std::vector<Architecture> efficientnet_architectures() {
  using namespace efficientnet;
  constexpr bool kFused = true;
  return {
      architecture("efficientnet_b0", first(1.0, 1.0, 0.2)),
      architecture("efficientnet_b1", first(1.0, 1.1, 0.2)),
      architecture("efficientnet_b2", first(1.1, 1.2, 0.3)),
      architecture("efficientnet_b3", first(1.2, 1.4, 0.3)),
      architecture("efficientnet_b4", first(1.4, 1.8, 0.4)),
      architecture("efficientnet_b5", first(1.6, 2.2, 0.4, 1e-3, 0.01)),
      architecture("efficientnet_b6", first(1.8, 2.6, 0.5, 1e-3, 0.01)),
      architecture("efficientnet_b7", first(2.0, 3.1, 0.5, 1e-3, 0.01)),
      architecture("efficientnet_v2_s", second({{1, 3, 1, 24, 24, 2, kFused}, {4, 3, 2, 24, 48, 4, kFused}, {4, 3, 2, 48, 64, 4, kFused}, {4, 3, 2, 64, 128, 6}, {6, 3, 1, 128, 160, 9}, {6, 3, 2, 160, 256, 15}}, 0.2)),
      architecture("efficientnet_v2_m", second({{1, 3, 1, 24, 24, 3, kFused}, {4, 3, 2, 24, 48, 5, kFused}, {4, 3, 2, 48, 80, 5, kFused}, {4, 3, 2, 80, 160, 7}, {6, 3, 1, 160, 176, 14}, {6, 3, 2, 176, 304, 18}, {6, 3, 1, 304, 512, 5}}, 0.3)),
      architecture("efficientnet_v2_l", second({{1, 3, 1, 32, 32, 4, kFused}, {4, 3, 2, 32, 64, 7, kFused}, {4, 3, 2, 64, 96, 7, kFused}, {4, 3, 2, 96, 192, 10}, {6, 3, 1, 192, 224, 19}, {6, 3, 2, 224, 384, 25}, {6, 3, 1, 384, 640, 7}}, 0.4)),
  };
}

}  // namespace ringlab
