// DenseNet-BC (Huang et al. 2016) as torchvision 0.14 builds it: 121, 161, 169 and 201 layers.
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include <array>
#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/batch_norm.h"

namespace ringlab {
namespace densenet {

namespace nn = torch::nn;

/// Computes `growth` new channels from all previous channels; the 1x1 convolution has four times as many.
class DenseLayer : public nn::Module {
 public:
  DenseLayer(int64_t in, int64_t growth)
      : norm1_(register_module("norm1", BatchNorm2d(in))),
        conv1_(register_module("conv1", nn::Conv2d(nn::Conv2dOptions(in, 4 * growth, 1).bias(false)))),
        norm2_(register_module("norm2", BatchNorm2d(4 * growth))),
        conv2_(register_module("conv2", nn::Conv2d(nn::Conv2dOptions(4 * growth, growth, 3).padding(1).bias(false)))) {}

  torch::Tensor forward(const torch::Tensor& x) { return conv2_(norm2_(conv1_(norm1_(x).relu_())).relu_()); }

 private:
  BatchNorm2d norm1_;
  nn::Conv2d conv1_;
  BatchNorm2d norm2_;
  nn::Conv2d conv2_;
};

class DenseBlock : public nn::Module {
 public:
  DenseBlock(int64_t layers, int64_t in, int64_t growth) {
    for (int64_t i = 0; i < layers; ++i) {
      layers_.push_back(register_module("denselayer" + std::to_string(i + 1), std::make_shared<DenseLayer>(in + i * growth, growth)));
    }
  }

  torch::Tensor forward(torch::Tensor x) {
    std::vector<torch::Tensor> features{x};
    for (const auto& layer : layers_) features.push_back(layer->forward(torch::cat(features, 1)));
    return torch::cat(features, 1);
  }

 private:
  std::vector<std::shared_ptr<DenseLayer>> layers_;
};

/// Halves channels and resolution between two blocks.
class Transition : public nn::Module {
 public:
  explicit Transition(int64_t in)
      : norm_(register_module("norm", BatchNorm2d(in))),
        conv_(register_module("conv", nn::Conv2d(nn::Conv2dOptions(in, in / 2, 1).bias(false)))) {}

  torch::Tensor forward(torch::Tensor x) { return torch::avg_pool2d(conv_(norm_(x).relu_()), 2, 2); }

 private:
  BatchNorm2d norm_;
  nn::Conv2d conv_;
};

struct Plan {
  int64_t growth;
  int64_t stem;
  std::array<int64_t, 4> layers;
};

class DenseNet : public Classifier {
 public:
  DenseNet(const Plan& plan, const ModelSettings& settings) {
    features_->push_back("conv0", nn::Conv2d(nn::Conv2dOptions(settings.input_channels, plan.stem, 7).stride(2).padding(3).bias(false)));
    features_->push_back("norm0", BatchNorm2d(plan.stem));
    features_->push_back("relu0", nn::ReLU(nn::ReLUOptions(true)));
    features_->push_back("pool0", nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)));
    int64_t channels = plan.stem;
    for (size_t i = 0; i < plan.layers.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      features_->push_back("denseblock" + number, std::make_shared<DenseBlock>(plan.layers[i], channels, plan.growth));
      channels += plan.layers[i] * plan.growth;
      if (i + 1 == plan.layers.size()) break;
      features_->push_back("transition" + number, std::make_shared<Transition>(channels));
      channels /= 2;
    }
    features_->push_back("norm5", BatchNorm2d(channels));
    register_module("features", features_);
    classifier_ = register_module("classifier", nn::Linear(channels, settings.classes));
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<nn::Conv2d>()) nn::init::kaiming_normal_(conv->weight);
    }
    nn::init::zeros_(classifier_->bias);
  }

  torch::Tensor forward(torch::Tensor x) override {
    return classifier_(torch::adaptive_avg_pool2d(features_->forward(x).relu_(), {1, 1}).flatten(1));
  }

 private:
  nn::Sequential features_;
  nn::Linear classifier_{nullptr};
};

Architecture architecture(const char* name, const Plan& plan) {
  return {name, [plan](const ModelSettings& settings) { return std::make_shared<DenseNet>(plan, settings); }, {29, 1}};
}

}  // namespace densenet

std::vector<Architecture> densenet_architectures() {
  using namespace densenet;
  return {
      architecture("densenet121", {32, 64, {6, 12, 24, 16}}),
      architecture("densenet161", {48, 96, {6, 12, 36, 24}}),
      architecture("densenet169", {32, 64, {6, 12, 32, 32}}),
      architecture("densenet201", {32, 64, {6, 12, 48, 32}}),
  };
}

}  // namespace ringlab
