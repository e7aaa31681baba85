// VGG (Simonyan and Zisserman 2014) as torchvision 0.14 builds it: 11, 13, 16 and 19 layers, with and without batch norm.
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include <array>
#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/batch_norm.h"

namespace ringlab {
namespace vgg {

namespace nn = torch::nn;

/// Convolutions in each of the five stages; a stage ends with a pooling that halves the resolution.
using Depths = std::array<int64_t, 5>;
constexpr std::array<int64_t, 5> kWidths{64, 128, 256, 512, 512};

class Vgg : public Classifier {
 public:
  Vgg(const Depths& depths, bool batch_norm, const ModelSettings& settings) {
    int64_t channels = settings.input_channels;
    for (size_t stage = 0; stage < depths.size(); ++stage) {
      for (int64_t i = 0; i < depths[stage]; ++i) {
        features_->push_back(nn::Conv2d(nn::Conv2dOptions(channels, kWidths[stage], 3).padding(1)));
        channels = kWidths[stage];
        if (batch_norm) features_->push_back(BatchNorm2d(channels));
        features_->push_back(nn::ReLU(nn::ReLUOptions(true)));
      }
      features_->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(2).stride(2)));
    }
    register_module("features", features_);
    hidden(512 * 7 * 7);
    hidden(4096);
    classifier_->push_back(nn::Linear(4096, settings.classes));
    register_module("classifier", classifier_);
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<nn::Conv2d>()) {
        nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
        nn::init::zeros_(conv->bias);
      } else if (auto* linear = module->as<nn::Linear>()) {
        nn::init::normal_(linear->weight, 0, 0.01);
        nn::init::zeros_(linear->bias);
      }
    }
  }

  torch::Tensor forward(torch::Tensor x) override {
    return classifier_->forward(torch::adaptive_avg_pool2d(features_->forward(x), {7, 7}).flatten(1));
  }

 private:
  void hidden(int64_t in) {
    classifier_->push_back(nn::Linear(in, 4096));
    classifier_->push_back(nn::ReLU(nn::ReLUOptions(true)));
    classifier_->push_back(nn::Dropout(0.5));
  }

  nn::Sequential features_;
  nn::Sequential classifier_;
};

}  // namespace vgg

std::vector<Architecture> vgg_architectures() {
  using namespace vgg;
  std::vector<Architecture> all;
  const std::pair<const char*, Depths> sizes[] = {
      {"vgg11", {1, 1, 2, 2, 2}}, {"vgg13", {2, 2, 2, 2, 2}}, {"vgg16", {2, 2, 3, 3, 3}}, {"vgg19", {2, 2, 4, 4, 4}}};
  for (const auto& [name, depths] : sizes) {
    for (const bool batch_norm : {false, true}) {
      all.push_back({batch_norm ? std::string(name) + "_bn" : name,
                     [depths = depths, batch_norm](const ModelSettings& settings) { return std::make_shared<Vgg>(depths, batch_norm, settings); }, {32, 1}});
    }
  }
  return all;
}

}  // namespace ringlab
