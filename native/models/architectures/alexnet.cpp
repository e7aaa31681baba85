// AlexNet (Krizhevsky 2014, "One weird trick") as torchvision 0.14 builds it.
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include <cstdint>
#include <memory>

#include "models/architectures/families.h"

namespace ringlab {
namespace alexnet {

namespace nn = torch::nn;

class AlexNet : public Classifier {
 public:
  explicit AlexNet(const ModelSettings& settings) {
    convolution(settings.input_channels, 64, 11, 4, 2);
    pool();
    convolution(64, 192, 5, 1, 2);
    pool();
    convolution(192, 384, 3, 1, 1);
    convolution(384, 256, 3, 1, 1);
    convolution(256, 256, 3, 1, 1);
    pool();
    register_module("features", features_);
    classifier_->push_back(nn::Dropout(0.5));
    classifier_->push_back(nn::Linear(256 * 6 * 6, 4096));
    classifier_->push_back(nn::ReLU(nn::ReLUOptions(true)));
    classifier_->push_back(nn::Dropout(0.5));
    classifier_->push_back(nn::Linear(4096, 4096));
    classifier_->push_back(nn::ReLU(nn::ReLUOptions(true)));
    classifier_->push_back(nn::Linear(4096, settings.classes));
    register_module("classifier", classifier_);
    // Every layer keeps its default initialisation, as in torchvision.
  }

  torch::Tensor forward(torch::Tensor x) override {
    return classifier_->forward(torch::adaptive_avg_pool2d(features_->forward(x), {6, 6}).flatten(1));
  }

 private:
  void convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding) {
    features_->push_back(nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(padding)));
    features_->push_back(nn::ReLU(nn::ReLUOptions(true)));
  }
  void pool() { features_->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2))); }

  nn::Sequential features_;
  nn::Sequential classifier_;
};

}  // namespace alexnet

std::vector<Architecture> alexnet_architectures() {
  using namespace alexnet;
  return {{"alexnet", [](const ModelSettings& settings) { return std::make_shared<AlexNet>(settings); }, {63, 1}}};
}

}  // namespace ringlab
