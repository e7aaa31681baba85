// ShuffleNetV2 (Ma et al. 2018) as torchvision 0.14 builds it.
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
namespace shufflenet_v2 {

namespace nn = torch::nn;

nn::Conv2d pointwise(int64_t in, int64_t out) { return nn::Conv2d(nn::Conv2dOptions(in, out, 1).bias(false)); }

nn::Conv2d depthwise(int64_t channels, int64_t stride) {
  return nn::Conv2d(nn::Conv2dOptions(channels, channels, 3).stride(stride).padding(1).groups(channels).bias(false));
}

nn::ReLU relu() { return nn::ReLU(nn::ReLUOptions(true)); }

/// Interleaves the two halves of the channels, so that the next unit's branches get both.
torch::Tensor shuffle_halves(const torch::Tensor& x) {
  const auto n = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  return x.view({n, 2, channels / 2, height, width}).transpose(1, 2).contiguous().view({n, channels, height, width});
}

/// With stride 1 one half of the channels is passed through; with stride 2 both branches get all of them.
class ShuffleUnit : public nn::Module {
 public:
  ShuffleUnit(int64_t in, int64_t out, int64_t stride) : splits_(stride == 1) {
    const int64_t branch = out / 2;
    if (!splits_) {
      // In sequence: the weights are drawn in the order in which layers are constructed.
      branch1_ = register_module("branch1", nn::Sequential());
      branch1_->push_back(depthwise(in, stride));
      branch1_->push_back(BatchNorm2d(in));
      branch1_->push_back(pointwise(in, branch));
      branch1_->push_back(BatchNorm2d(branch));
      branch1_->push_back(relu());
    }
    branch2_->push_back(pointwise(splits_ ? branch : in, branch));
    branch2_->push_back(BatchNorm2d(branch));
    branch2_->push_back(relu());
    branch2_->push_back(depthwise(branch, stride));
    branch2_->push_back(BatchNorm2d(branch));
    branch2_->push_back(pointwise(branch, branch));
    branch2_->push_back(BatchNorm2d(branch));
    branch2_->push_back(relu());
    register_module("branch2", branch2_);
  }

  torch::Tensor forward(torch::Tensor x) {
    if (!splits_) return shuffle_halves(torch::cat({branch1_->forward(x), branch2_->forward(x)}, 1));
    const auto halves = x.chunk(2, 1);
    return shuffle_halves(torch::cat({halves[0], branch2_->forward(halves[1])}, 1));
  }

 private:
  bool splits_;
  nn::Sequential branch1_{nullptr};
  nn::Sequential branch2_;
};

/// Channels after stages 2, 3 and 4 and before the classifier; the stages have 4, 8 and 4 units.
using Widths = std::array<int64_t, 4>;

class ShuffleNetV2 : public Classifier {
 public:
  ShuffleNetV2(const Widths& widths, const ModelSettings& settings) : pool_(nn::MaxPool2dOptions(3).stride(2).padding(1)) {
    constexpr int64_t kStem = 24;
    constexpr std::array<int64_t, 3> kUnits{4, 8, 4};
    conv1_->push_back(nn::Conv2d(nn::Conv2dOptions(settings.input_channels, kStem, 3).stride(2).padding(1).bias(false)));
    conv1_->push_back(BatchNorm2d(kStem));
    conv1_->push_back(relu());
    register_module("conv1", conv1_);
    int64_t channels = kStem;
    for (size_t stage = 0; stage < kUnits.size(); ++stage) {
      for (int64_t unit = 0; unit < kUnits[stage]; ++unit) {
        stages_[stage]->push_back(std::make_shared<ShuffleUnit>(channels, widths[stage], unit == 0 ? 2 : 1));
        channels = widths[stage];
      }
      register_module("stage" + std::to_string(stage + 2), stages_[stage]);
    }
    conv5_->push_back(pointwise(channels, widths[3]));
    conv5_->push_back(BatchNorm2d(widths[3]));
    conv5_->push_back(relu());
    register_module("conv5", conv5_);
    fc_ = register_module("fc", nn::Linear(widths[3], settings.classes));
    // Every layer keeps its default initialisation, as in torchvision.
  }

  torch::Tensor forward(torch::Tensor x) override {
    x = pool_(conv1_->forward(x));
    for (auto& stage : stages_) x = stage->forward(x);
    return fc_(conv5_->forward(x).mean({2, 3}));
  }

 private:
  nn::MaxPool2d pool_;
  nn::Sequential conv1_;
  std::array<nn::Sequential, 3> stages_;
  nn::Sequential conv5_;
  nn::Linear fc_{nullptr};
};

Architecture architecture(const char* name, Widths widths) {
  return {name, [widths](const ModelSettings& settings) { return std::make_shared<ShuffleNetV2>(widths, settings); }};
}

}  // namespace shufflenet_v2

std::vector<Architecture> shufflenet_v2_architectures() {
  using namespace shufflenet_v2;
  return {
      architecture("shufflenet_v2_x0_5", {48, 96, 192, 1024}),
      architecture("shufflenet_v2_x1_0", {116, 232, 464, 1024}),
      architecture("shufflenet_v2_x1_5", {176, 352, 704, 1024}),
      architecture("shufflenet_v2_x2_0", {244, 488, 976, 2048}),
  };
}

}  // namespace ringlab
