// MobileNetV2 (Sandler et al. 2018) as torchvision 0.14 builds it.
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/batch_norm.h"
#include "models/layers/conv_norm.h"

namespace ringlab {
namespace mobilenet_v2 {

namespace nn = torch::nn;

/// Expands by 1x1, 3x3 depthwise, projects by 1x1 without activation; a shortcut if the shape is unchanged.
class InvertedResidual : public nn::Module {
 public:
  InvertedResidual(int64_t in, int64_t out, int64_t stride, int64_t expansion) : shortcut_(stride == 1 && in == out) {
    const int64_t hidden = in * expansion;
    ConvNormOptions options;
    options.activation = Activation::relu6;
    if (expansion != 1) {
      options.kernel = 1;
      conv_->push_back(std::make_shared<ConvNorm>(in, hidden, options));
    }
    options.kernel = 3;
    options.stride = stride;
    options.groups = hidden;
    conv_->push_back(std::make_shared<ConvNorm>(hidden, hidden, options));
    conv_->push_back(nn::Conv2d(nn::Conv2dOptions(hidden, out, 1).bias(false)));
    conv_->push_back(BatchNorm2d(out));
    register_module("conv", conv_);
  }

  torch::Tensor forward(torch::Tensor x) {
    torch::Tensor out = conv_->forward(x);
    return shortcut_ ? out.add_(x) : out;
  }

 private:
  bool shortcut_;
  nn::Sequential conv_;
};

struct Stage {
  int64_t expansion;
  int64_t channels;
  int64_t count;
  int64_t stride;
};

constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

class MobileNetV2 : public Classifier {
 public:
  explicit MobileNetV2(const ModelSettings& settings) {
    constexpr int64_t kLast = 1280;
    ConvNormOptions options;
    options.activation = Activation::relu6;
    options.stride = 2;
    int64_t channels = 32;
    features_->push_back(std::make_shared<ConvNorm>(settings.input_channels, channels, options));
    for (const auto& stage : kStages) {
      for (int64_t i = 0; i < stage.count; ++i) {
        features_->push_back(std::make_shared<InvertedResidual>(channels, stage.channels, i == 0 ? stage.stride : 1, stage.expansion));
        channels = stage.channels;
      }
    }
    options.kernel = 1;
    options.stride = 1;
    features_->push_back(std::make_shared<ConvNorm>(channels, kLast, options));
    nn::Linear head(kLast, settings.classes);
    classifier_->push_back(nn::Dropout(0.2));
    classifier_->push_back(head);
    register_module("features", features_);
    register_module("classifier", classifier_);
    initialise_convolutions(*this);
    nn::init::normal_(head->weight, 0, 0.01);
    nn::init::zeros_(head->bias);
  }

  torch::Tensor forward(torch::Tensor x) override { return classifier_->forward(torch::adaptive_avg_pool2d(features_->forward(x), {1, 1}).flatten(1)); }

 private:
  nn::Sequential features_;
  nn::Sequential classifier_;
};

}  // namespace mobilenet_v2

std::vector<Architecture> mobilenet_v2_architectures() {
  using namespace mobilenet_v2;
  return {{"mobilenet_v2", [](const ModelSettings& settings) { return std::make_shared<MobileNetV2>(settings); }}};
}

}  // namespace ringlab
