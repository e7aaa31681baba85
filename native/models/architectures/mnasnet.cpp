// MnasNet-B1 (Tan et al. 2018) as torchvision 0.14 builds it: widths 0.5, 0.75, 1.0 and 1.3.
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/batch_norm.h"
#include "models/layers/conv_norm.h"

namespace ringlab {
namespace mnasnet {

namespace nn = torch::nn;

/// TensorFlow's 0.9997 weights the old value, torch's momentum the new one.
constexpr double kMomentum = 1 - 0.9997;

/// A convolution without bias and its batch norm, as two elements of a Sequential.
template <typename Sequential>
void convolution(Sequential& chain, int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t groups, bool relu) {
  chain->push_back(nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).groups(groups).bias(false)));
  chain->push_back(BatchNorm2d(nn::BatchNorm2dOptions(out).momentum(kMomentum)));
  if (relu) chain->push_back(nn::ReLU(nn::ReLUOptions(true)));
}

/// Expands by 1x1, depthwise convolution, projects by 1x1 without activation; a shortcut if the shape is unchanged.
class InvertedResidual : public nn::Module {
 public:
  InvertedResidual(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t expansion) : shortcut_(stride == 1 && in == out) {
    const int64_t hidden = in * expansion;
    convolution(layers_, in, hidden, 1, 1, 1, true);
    convolution(layers_, hidden, hidden, kernel, stride, hidden, true);
    convolution(layers_, hidden, out, 1, 1, 1, false);
    register_module("layers", layers_);
  }

  torch::Tensor forward(torch::Tensor x) { return shortcut_ ? layers_->forward(x) + x : layers_->forward(x); }

 private:
  bool shortcut_;
  nn::Sequential layers_;
};

struct Stage {
  int64_t channels;
  int64_t kernel;
  int64_t stride;
  int64_t expansion;
  int64_t count;
};
constexpr Stage kStages[] = {{24, 3, 2, 3, 3}, {40, 5, 2, 3, 3}, {80, 5, 2, 6, 3}, {96, 3, 1, 6, 2}, {192, 5, 2, 6, 4}, {320, 3, 1, 6, 1}};

class MnasNet : public Classifier {
 public:
  MnasNet(double width, const ModelSettings& settings) {
    constexpr int64_t kLast = 1280;
    const auto scaled = [width](int64_t channels) { return make_divisible(static_cast<double>(channels) * width); };
    const int64_t stem = scaled(32);
    int64_t channels = scaled(16);
    convolution(layers_, settings.input_channels, stem, 3, 2, 1, true);
    convolution(layers_, stem, stem, 3, 1, stem, true);
    convolution(layers_, stem, channels, 1, 1, 1, false);
    for (const auto& stage : kStages) {
      auto stack = std::make_shared<Chain>();
      for (int64_t i = 0; i < stage.count; ++i) {
        stack->push_back(std::make_shared<InvertedResidual>(channels, scaled(stage.channels), stage.kernel, i == 0 ? stage.stride : 1, stage.expansion));
        channels = scaled(stage.channels);
      }
      layers_->push_back(stack);
    }
    convolution(layers_, channels, kLast, 1, 1, 1, true);
    register_module("layers", layers_);
    nn::Linear head(kLast, settings.classes);
    classifier_->push_back(nn::Dropout(nn::DropoutOptions(0.2).inplace(true)));
    classifier_->push_back(head);
    register_module("classifier", classifier_);
    initialise_convolutions(*this);
    nn::init::kaiming_uniform_(head->weight, 0, torch::kFanOut, torch::kSigmoid);
    nn::init::zeros_(head->bias);
  }

  torch::Tensor forward(torch::Tensor x) override { return classifier_->forward(layers_->forward(x).mean({2, 3})); }

 private:
  nn::Sequential layers_;
  nn::Sequential classifier_;
};

Architecture architecture(const char* name, double width) {
  return {name, [width](const ModelSettings& settings) { return std::make_shared<MnasNet>(width, settings); }};
}

}  // namespace mnasnet

std::vector<Architecture> mnasnet_architectures() {
  using namespace mnasnet;
  return {
      architecture("mnasnet0_5", 0.5),
      architecture("mnasnet0_75", 0.75),
      architecture("mnasnet1_0", 1.0),
      architecture("mnasnet1_3", 1.3),
  };
}

}  // namespace ringlab
