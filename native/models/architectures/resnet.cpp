// ResNet (He et al. 2015) and its wider relatives ResNeXt (Xie et al. 2016) and Wide ResNet (Zagoruyko and
// Komodakis 2016) as torchvision 0.14 builds them.
#include <torch/nn/functional/activation.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <array>
#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/batch_norm.h"
#include "models/layers/max_pool.h"

namespace ringlab {
namespace resnet {

namespace nn = torch::nn;

nn::Conv2d conv3x3(int64_t in, int64_t out, int64_t stride, int64_t groups = 1) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, 3).stride(stride).padding(1).groups(groups).bias(false));
}

nn::Conv2d conv1x1(int64_t in, int64_t out, int64_t stride) { return nn::Conv2d(nn::Conv2dOptions(in, out, 1).stride(stride).bias(false)); }

/// A bottleneck's 3x3: groups, and channels of each per 64 planes.
struct Widening {
  int64_t groups = 1;
  int64_t width = 64;
};

nn::Sequential projection(int64_t in, int64_t out, int64_t stride) { return nn::Sequential(conv1x1(in, out, stride), BatchNorm2d(out)); }

/// Two 3x3 convolutions and the shortcut.
class BasicBlock : public nn::Module {
 public:
  static constexpr int64_t kExpansion = 1;

  BasicBlock(int64_t in, int64_t planes, int64_t stride, const Widening&)
      : conv1_(register_module("conv1", conv3x3(in, planes, stride))),
        bn1_(register_module("bn1", BatchNorm2d(planes))),
        conv2_(register_module("conv2", conv3x3(planes, planes, 1))),
        bn2_(register_module("bn2", BatchNorm2d(planes))) {
    if (stride != 1 || in != planes) downsample_ = register_module("downsample", projection(in, planes, stride));
  }

  torch::Tensor forward(torch::Tensor x) {
    torch::Tensor out = bn1_(conv1_(x)).relu_();
    out = bn2_(conv2_(out));
    out += downsample_.is_empty() ? x : downsample_->forward(x);
    return out.relu_();
  }

 private:
  nn::Conv2d conv1_;
  BatchNorm2d bn1_;
  nn::Conv2d conv2_;
  BatchNorm2d bn2_;
  nn::Sequential downsample_{nullptr};
};

/// 1x1, 3x3, 1x1; the stride is in the 3x3, as in torchvision.
class Bottleneck : public nn::Module {
 public:
  static constexpr int64_t kExpansion = 4;

  Bottleneck(int64_t in, int64_t planes, int64_t stride, const Widening& widening) : Bottleneck(in, planes, stride, planes * widening.width / 64 * widening.groups, widening.groups) {}

  torch::Tensor forward(torch::Tensor x) {
    torch::Tensor out = bn1_(conv1_(x)).relu_();
    out = bn2_(conv2_(out)).relu_();
    out = bn3_(conv3_(out));
    out += downsample_.is_empty() ? x : downsample_->forward(x);
    return out.relu_();
  }

 private:
  Bottleneck(int64_t in, int64_t planes, int64_t stride, int64_t inner, int64_t groups)
      : conv1_(register_module("conv1", conv1x1(in, inner, 1))),
        bn1_(register_module("bn1", BatchNorm2d(inner))),
        conv2_(register_module("conv2", conv3x3(inner, inner, stride, groups))),
        bn2_(register_module("bn2", BatchNorm2d(inner))),
        conv3_(register_module("conv3", conv1x1(inner, planes * kExpansion, 1))),
        bn3_(register_module("bn3", BatchNorm2d(planes * kExpansion))) {
    if (stride != 1 || in != planes * kExpansion) downsample_ = register_module("downsample", projection(in, planes * kExpansion, stride));
  }

  nn::Conv2d conv1_;
  BatchNorm2d bn1_;
  nn::Conv2d conv2_;
  BatchNorm2d bn2_;
  nn::Conv2d conv3_;
  BatchNorm2d bn3_;
  nn::Sequential downsample_{nullptr};
};

template <typename Block>
class ResNet : public Classifier {
 public:
  ResNet(const std::array<int64_t, 4>& blocks, const Widening& widening, const ModelSettings& settings)
      : widening_(widening),
        conv1_(register_module("conv1", nn::Conv2d(nn::Conv2dOptions(settings.input_channels, 64, 7).stride(2).padding(3).bias(false)))),
        bn1_(register_module("bn1", BatchNorm2d(64))),
        layer1_(register_module("layer1", layer(64, blocks[0], 1))),
        layer2_(register_module("layer2", layer(128, blocks[1], 2))),
        layer3_(register_module("layer3", layer(256, blocks[2], 2))),
        layer4_(register_module("layer4", layer(512, blocks[3], 2))),
        fc_(register_module("fc", nn::Linear(512 * Block::kExpansion, settings.classes))) {
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<nn::Conv2d>()) nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
      // BatchNorm2d is initialised with weight 1 and bias 0, Linear with Python's uniform bounds: torchvision keeps
      // both.
    }
  }

  torch::Tensor forward(torch::Tensor x) override {
    x = max_pool(bn1_(conv1_(x)).relu_(), {3, 2, 1});
    x = layer4_->forward(layer3_->forward(layer2_->forward(layer1_->forward(x))));
    return fc_(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  nn::Sequential layer(int64_t planes, int64_t count, int64_t stride) {
    nn::Sequential blocks;
    for (int64_t i = 0; i < count; ++i) {
      blocks->push_back(std::make_shared<Block>(channels_, planes, i == 0 ? stride : 1, widening_));
      channels_ = planes * Block::kExpansion;
    }
    return blocks;
  }

  Widening widening_;
  int64_t channels_ = 64;
  nn::Conv2d conv1_;
  BatchNorm2d bn1_;
  nn::Sequential layer1_;
  nn::Sequential layer2_;
  nn::Sequential layer3_;
  nn::Sequential layer4_;
  nn::Linear fc_;
};

template <typename Block>
Architecture architecture(const char* name, std::array<int64_t, 4> blocks, Widening widening = {}) {
  return {name, [=](const ModelSettings& settings) { return std::make_shared<ResNet<Block>>(blocks, widening, settings); }};
}

}  // namespace resnet

std::vector<Architecture> resnet_architectures() {
  using namespace resnet;
  return {
      architecture<BasicBlock>("resnet18", {2, 2, 2, 2}),
      architecture<BasicBlock>("resnet34", {3, 4, 6, 3}),
      architecture<Bottleneck>("resnet50", {3, 4, 6, 3}),
      architecture<Bottleneck>("resnet101", {3, 4, 23, 3}),
      architecture<Bottleneck>("resnet152", {3, 8, 36, 3}),
      architecture<Bottleneck>("resnext50_32x4d", {3, 4, 6, 3}, {32, 4}),
      architecture<Bottleneck>("resnext101_32x8d", {3, 4, 23, 3}, {32, 8}),
      architecture<Bottleneck>("resnext101_64x4d", {3, 4, 23, 3}, {64, 4}),
      architecture<Bottleneck>("wide_resnet50_2", {3, 4, 6, 3}, {1, 128}),
      architecture<Bottleneck>("wide_resnet101_2", {3, 4, 23, 3}, {1, 128}),
  };
}

}  // namespace ringlab
