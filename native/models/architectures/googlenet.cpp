// GoogLeNet (Szegedy et al. 2014) as torchvision 0.14 builds it, with its two auxiliary classifiers.
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/conv_norm.h"
#include "models/layers/inception_conv.h"
#include "models/layers/transform_input.h"

namespace ringlab {
namespace googlenet {

namespace nn = torch::nn;

torch::Tensor max_pool(const torch::Tensor& x, int64_t kernel, int64_t stride, int64_t padding = 0) {
  return torch::max_pool2d(x, kernel, stride, padding, /*dilation=*/1, /*ceil_mode=*/true);
}

/// Output channels of an inception's four branches, and their intermediate ones.
struct Widths {
  int64_t one;
  int64_t three_reduced;
  int64_t three;
  int64_t five_reduced;
  int64_t five;
  int64_t pooled;
};

/// Four parallel branches. The paper's 5x5 is 3x3 in torchvision, whose weights must be compatible.
class Inception : public nn::Module {
 public:
  Inception(int64_t in, const Widths& widths) {
    branch1_ = register_module("branch1", std::make_shared<InceptionConv>(in, widths.one));
    branch2_ = register_module("branch2", reduced(in, widths.three_reduced, widths.three));
    branch3_ = register_module("branch3", reduced(in, widths.five_reduced, widths.five));
    branch4_ = register_module("branch4", nn::Sequential());
    // "0" is torchvision's pooling, without weights.
    branch4_->push_back("1", std::make_shared<InceptionConv>(in, widths.pooled));
  }

  torch::Tensor forward(torch::Tensor x) {
    return torch::cat({branch1_->forward(x), branch2_->forward(x), branch3_->forward(x), branch4_->forward(max_pool(x, 3, 1, 1))}, 1);
  }

 private:
  static nn::Sequential reduced(int64_t in, int64_t between, int64_t out) {
    nn::Sequential chain;
    chain->push_back(std::make_shared<InceptionConv>(in, between));
    chain->push_back(std::make_shared<InceptionConv>(between, out, square(3, 1, 1)));
    return chain;
  }

  std::shared_ptr<InceptionConv> branch1_;
  nn::Sequential branch2_{nullptr};
  nn::Sequential branch3_{nullptr};
  nn::Sequential branch4_{nullptr};
};

/// A classifier in the middle of the network, which gives its first layers a direct gradient.
class AuxiliaryHead : public nn::Module {
 public:
  AuxiliaryHead(int64_t in, int64_t classes)
      : conv_(register_module("conv", std::make_shared<InceptionConv>(in, 128))),
        fc1_(register_module("fc1", nn::Linear(2048, 1024))),
        fc2_(register_module("fc2", nn::Linear(1024, classes))),
        dropout_(register_module("dropout", nn::Dropout(0.7))) {}

  torch::Tensor forward(torch::Tensor x) {
    x = conv_->forward(torch::adaptive_avg_pool2d(x, {4, 4})).flatten(1);
    return fc2_(dropout_(fc1_(x).relu_()));
  }

 private:
  std::shared_ptr<InceptionConv> conv_;
  nn::Linear fc1_;
  nn::Linear fc2_;
  nn::Dropout dropout_;
};

class GoogLeNet : public Classifier {
 public:
  explicit GoogLeNet(const ModelSettings& settings) : transform_input_(settings.transform_input) {
    conv1_ = register_module("conv1", std::make_shared<InceptionConv>(settings.input_channels, 64, square(7, 2, 3)));
    conv2_ = register_module("conv2", std::make_shared<InceptionConv>(64, 64));
    conv3_ = register_module("conv3", std::make_shared<InceptionConv>(64, 192, square(3, 1, 1)));
    const auto inception = [this](const char* name, int64_t in, const Widths& widths) {
      return register_module(name, std::make_shared<Inception>(in, widths));
    };
    third_ = {inception("inception3a", 192, {64, 96, 128, 16, 32, 32}), inception("inception3b", 256, {128, 128, 192, 32, 96, 64})};
    fourth_ = {inception("inception4a", 480, {192, 96, 208, 16, 48, 64}), inception("inception4b", 512, {160, 112, 224, 24, 64, 64}),
               inception("inception4c", 512, {128, 128, 256, 24, 64, 64}), inception("inception4d", 512, {112, 144, 288, 32, 64, 64}),
               inception("inception4e", 528, {256, 160, 320, 32, 128, 128})};
    fifth_ = {inception("inception5a", 832, {256, 160, 320, 32, 128, 128}), inception("inception5b", 832, {384, 192, 384, 48, 128, 128})};
    if (settings.auxiliary) {
      aux1_ = register_module("aux1", std::make_shared<AuxiliaryHead>(512, settings.classes));
      aux2_ = register_module("aux2", std::make_shared<AuxiliaryHead>(528, settings.classes));
    }
    dropout_ = register_module("dropout", nn::Dropout(0.2));
    fc_ = register_module("fc", nn::Linear(1024, settings.classes));
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<nn::Conv2d>()) trunc_normal_(conv->weight, 0.01);
      else if (auto* linear = module->as<nn::Linear>()) trunc_normal_(linear->weight, 0.01);
    }
  }

  Outputs outputs(torch::Tensor x) override {
    Outputs result;
    if (transform_input_) x = transform_input(x);
    x = max_pool(conv1_->forward(x), 3, 2);
    x = max_pool(conv3_->forward(conv2_->forward(x)), 3, 2);
    for (const auto& inception : third_) x = inception->forward(x);
    x = max_pool(x, 3, 2);
    for (size_t i = 0; i < fourth_.size(); ++i) {
      x = fourth_[i]->forward(x);
      if (!is_training() || !aux1_) continue;
      if (i == 0) result.auxiliary.push_back(aux1_->forward(x));
      if (i == 3) result.auxiliary.push_back(aux2_->forward(x));
    }
    x = max_pool(x, 2, 2);
    for (const auto& inception : fifth_) x = inception->forward(x);
    result.logits = fc_(dropout_(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1)));
    return result;
  }

  torch::Tensor forward(torch::Tensor x) override { return outputs(std::move(x)).logits; }

  /// The paper's, section 5.
  double auxiliary_weight() const override { return 0.3; }

 private:
  std::shared_ptr<InceptionConv> conv1_;
  std::shared_ptr<InceptionConv> conv2_;
  std::shared_ptr<InceptionConv> conv3_;
  std::vector<std::shared_ptr<Inception>> third_;
  std::vector<std::shared_ptr<Inception>> fourth_;
  std::vector<std::shared_ptr<Inception>> fifth_;
  const bool transform_input_;
  std::shared_ptr<AuxiliaryHead> aux1_;  ///< null without auxiliary heads, as the other
  std::shared_ptr<AuxiliaryHead> aux2_;
  nn::Dropout dropout_{nullptr};
  nn::Linear fc_{nullptr};
};

}  // namespace googlenet

std::vector<Architecture> googlenet_architectures() {
  using namespace googlenet;
  return {{"googlenet", [](const ModelSettings& settings) { return std::make_shared<GoogLeNet>(settings); }, {15, 1}}};
}

}  // namespace ringlab
