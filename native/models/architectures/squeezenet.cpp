// SqueezeNet (Iandola et al. 2016) as torchvision 0.14 builds it: 1.0 and 1.1.
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/pooling.h>

#include <array>
#include <cstdint>
#include <memory>

#include "models/architectures/families.h"

namespace ringlab {
namespace squeezenet {

namespace nn = torch::nn;

/// Squeezes by 1x1, then expands by 1x1 and by 3x3 in parallel.
class Fire : public nn::Module {
 public:
  Fire(int64_t in, int64_t squeezed, int64_t expanded)
      : squeeze_(register_module("squeeze", nn::Conv2d(nn::Conv2dOptions(in, squeezed, 1)))),
        expand1x1_(register_module("expand1x1", nn::Conv2d(nn::Conv2dOptions(squeezed, expanded, 1)))),
        expand3x3_(register_module("expand3x3", nn::Conv2d(nn::Conv2dOptions(squeezed, expanded, 3).padding(1)))) {}

  torch::Tensor forward(torch::Tensor x) {
    x = squeeze_(x).relu_();
    return torch::cat({expand1x1_(x).relu_(), expand3x3_(x).relu_()}, 1);
  }

 private:
  nn::Conv2d squeeze_;
  nn::Conv2d expand1x1_;
  nn::Conv2d expand3x3_;
};

/// Squeezed channels of the eight fire modules; each branch expands to four times its stage's.
struct Plan {
  int64_t stem_channels;
  int64_t stem_kernel;
  /// Fire modules with a pooling before them.
  std::array<bool, 8> pooled;
};
constexpr std::array<int64_t, 8> kSqueezed{16, 16, 32, 32, 48, 48, 64, 64};

class SqueezeNet : public Classifier {
 public:
  SqueezeNet(const Plan& plan, const ModelSettings& settings) {
    features_->push_back(nn::Conv2d(nn::Conv2dOptions(settings.input_channels, plan.stem_channels, plan.stem_kernel).stride(2)));
    features_->push_back(nn::ReLU(nn::ReLUOptions(true)));
    int64_t channels = plan.stem_channels;
    for (size_t i = 0; i < kSqueezed.size(); ++i) {
      if (plan.pooled[i]) features_->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).ceil_mode(true)));
      features_->push_back(std::make_shared<Fire>(channels, kSqueezed[i], 4 * kSqueezed[i]));
      channels = 8 * kSqueezed[i];
    }
    register_module("features", features_);
    nn::Conv2d last(nn::Conv2dOptions(channels, settings.classes, 1));
    classifier_->push_back(nn::Dropout(0.5));
    classifier_->push_back(last);
    classifier_->push_back(nn::ReLU(nn::ReLUOptions(true)));
    register_module("classifier", classifier_);
    for (const auto& module : modules(/*include_self=*/false)) {
      auto* conv = module->as<nn::Conv2d>();
      if (conv == nullptr) continue;
      if (conv == last.get()) nn::init::normal_(conv->weight, 0, 0.01);
      else nn::init::kaiming_uniform_(conv->weight);
      nn::init::zeros_(conv->bias);
    }
  }

  torch::Tensor forward(torch::Tensor x) override {
    return torch::adaptive_avg_pool2d(classifier_->forward(features_->forward(x)), {1, 1}).flatten(1);
  }

 private:
  nn::Sequential features_;
  nn::Sequential classifier_;
};

Architecture architecture(const char* name, const Plan& plan) {
  return {name, [plan](const ModelSettings& settings) { return std::make_shared<SqueezeNet>(plan, settings); }, {plan.stem_kernel == 7 ? 21 : 17, 1}};
}

}  // namespace squeezenet

std::vector<Architecture> squeezenet_architectures() {
  using namespace squeezenet;
  return {
      architecture("squeezenet1_0", {96, 7, {true, false, false, true, false, false, false, true}}),
      architecture("squeezenet1_1", {64, 3, {true, false, true, false, true, false, false, false}}),
  };
}

}  // namespace ringlab
