// RegNet X and Y (Radosavovic et al. 2020) as torchvision 0.14 builds them; Y has squeeze and excitation.
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/conv_norm.h"

namespace ringlab {
namespace regnet {

namespace nn = torch::nn;

/// The four stages by the paper's rule of widths: quantised to 8, then to whole groups.
struct Shape {
  std::array<int64_t, 4> widths;
  std::array<int64_t, 4> depths;
  int64_t group_width;
  bool squeeze;
};

/// 1x1, grouped 3x3, 1x1 of the same width, and the shortcut.
class ResidualBlock : public nn::Module {
 public:
  ResidualBlock(int64_t in, int64_t out, int64_t stride, const Shape& shape) {
    if (in != out || stride != 1) projection_ = register_module("proj", std::make_shared<ConvNorm>(in, out, ConvNormOptions{1, stride, 1, Activation::none}));
    const int64_t groups = out / std::min(shape.group_width, out);
    branch_->push_back("a", std::make_shared<ConvNorm>(in, out, ConvNormOptions{1, 1, 1, Activation::relu}));
    branch_->push_back("b", std::make_shared<ConvNorm>(out, out, ConvNormOptions{3, stride, groups, Activation::relu}));
    if (shape.squeeze) branch_->push_back("se", std::make_shared<SqueezeExcitation>(out, std::lrint(0.25 * static_cast<double>(in))));
    branch_->push_back("c", std::make_shared<ConvNorm>(out, out, ConvNormOptions{1, 1, 1, Activation::none}));
    register_module("f", branch_);
  }

  torch::Tensor forward(torch::Tensor x) {
    const torch::Tensor shortcut = projection_ ? projection_->forward(x) : x;
    return (shortcut + branch_->forward(x)).relu_();
  }

 private:
  std::shared_ptr<ConvNorm> projection_;
  nn::Sequential branch_;
};

class RegNet : public Classifier {
 public:
  RegNet(const Shape& shape, const ModelSettings& settings) {
    int64_t channels = 32;
    stem_ = register_module("stem", std::make_shared<ConvNorm>(settings.input_channels, channels, ConvNormOptions{3, 2, 1, Activation::relu}));
    for (size_t stage = 0; stage < shape.widths.size(); ++stage) {
      const std::string name = "block" + std::to_string(stage + 1);
      const auto blocks = std::make_shared<Chain>();
      for (int64_t i = 0; i < shape.depths[stage]; ++i) {
        blocks->push_back(name + "-" + std::to_string(i), std::make_shared<ResidualBlock>(channels, shape.widths[stage], i == 0 ? 2 : 1, shape));
        channels = shape.widths[stage];
      }
      trunk_->push_back(name, blocks);
    }
    register_module("trunk_output", trunk_);
    fc_ = register_module("fc", nn::Linear(channels, settings.classes));
    for (const auto& module : modules(/*include_self=*/false)) {
      auto* layer = module->as<nn::Conv2d>();
      if (layer == nullptr) continue;
      // Over all output channels, even in a grouped convolution; the gates' biases keep their default.
      const auto& kernel = *layer->options.kernel_size();
      nn::init::normal_(layer->weight, 0, std::sqrt(2.0 / static_cast<double>(kernel[0] * kernel[1] * layer->options.out_channels())));
    }
    nn::init::normal_(fc_->weight, 0, 0.01);
    nn::init::zeros_(fc_->bias);
  }

  torch::Tensor forward(torch::Tensor x) override { return fc_(torch::adaptive_avg_pool2d(trunk_->forward(stem_->forward(x)), {1, 1}).flatten(1)); }

 private:
  std::shared_ptr<ConvNorm> stem_;
  nn::Sequential trunk_;
  nn::Linear fc_{nullptr};
};

Architecture architecture(const char* name, const Shape& shape) {
  return {name, [shape](const ModelSettings& settings) { return std::make_shared<RegNet>(shape, settings); }};
}

}  // namespace regnet

std::vector<Architecture> regnet_architectures() {
  using namespace regnet;
  return {
      architecture("regnet_y_400mf", {{48, 104, 208, 440}, {1, 3, 6, 6}, 8, true}),
      architecture("regnet_y_800mf", {{64, 144, 320, 784}, {1, 3, 8, 2}, 16, true}),
      architecture("regnet_y_1_6gf", {{48, 120, 336, 888}, {2, 6, 17, 2}, 24, true}),
      architecture("regnet_y_3_2gf", {{72, 216, 576, 1512}, {2, 5, 13, 1}, 24, true}),
      architecture("regnet_y_8gf", {{224, 448, 896, 2016}, {2, 4, 10, 1}, 56, true}),
      architecture("regnet_y_16gf", {{224, 448, 1232, 3024}, {2, 4, 11, 1}, 112, true}),
      architecture("regnet_y_32gf", {{232, 696, 1392, 3712}, {2, 5, 12, 1}, 232, true}),
      architecture("regnet_y_128gf", {{528, 1056, 2904, 7392}, {2, 7, 17, 1}, 264, true}),
      architecture("regnet_x_400mf", {{32, 64, 160, 400}, {1, 2, 7, 12}, 16, false}),
      architecture("regnet_x_800mf", {{64, 128, 288, 672}, {1, 3, 7, 5}, 16, false}),
      architecture("regnet_x_1_6gf", {{72, 168, 408, 912}, {2, 4, 10, 2}, 24, false}),
      architecture("regnet_x_3_2gf", {{96, 192, 432, 1008}, {2, 6, 15, 2}, 48, false}),
      architecture("regnet_x_8gf", {{80, 240, 720, 1920}, {2, 5, 15, 1}, 120, false}),
      architecture("regnet_x_16gf", {{256, 512, 896, 2048}, {2, 6, 13, 1}, 128, false}),
      architecture("regnet_x_32gf", {{336, 672, 1344, 2520}, {2, 7, 13, 1}, 168, false}),
  };
}

}  // namespace ringlab
