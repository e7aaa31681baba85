// Vision Transformer, base (Dosovitskiy et al. 2021), as torchvision 0.14 builds it. Its image size is part of the model.
#include <torch/nn/functional/activation.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>

#include "compat/attention.h"
#include "models/conv_norm.h"
#include "models/families.h"

namespace ringlab {
namespace vision_transformer {

namespace nn = torch::nn;

constexpr int64_t kLayers = 12;
constexpr int64_t kHeads = 12;
constexpr int64_t kWidth = 768;
constexpr int64_t kMlpWidth = 3072;

nn::LayerNorm norm() { return nn::LayerNorm(nn::LayerNormOptions({kWidth}).eps(1e-6)); }

/// Python's nn.MultiheadAttention for self-attention: (N, length, width) to the same.
class SelfAttention : public nn::Module {
 public:
  SelfAttention() : out_(register_module("out_proj", nn::Linear(kWidth, kWidth))) {
    weight_ = register_parameter("in_proj_weight", torch::empty({3 * kWidth, kWidth}));
    bias_ = register_parameter("in_proj_bias", torch::zeros({3 * kWidth}));
    nn::init::xavier_uniform_(weight_);
    nn::init::zeros_(out_->bias);
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const auto n = x.size(0), length = x.size(1);
    const auto parts = torch::linear(x, weight_, bias_).view({n, length, 3, kHeads, kWidth / kHeads}).permute({2, 0, 3, 1, 4}).unbind(0);
    return out_(compat::attention(parts[0], parts[1], parts[2]).transpose(1, 2).reshape({n, length, kWidth}));
  }

 private:
  nn::Linear out_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};

/// Children 1, 2 and 4 of torchvision's, GELU and dropouts of probability 0, hold nothing.
class Mlp : public nn::Module {
 public:
  Mlp() : widen_(register_module("0", nn::Linear(kWidth, kMlpWidth))), narrow_(register_module("3", nn::Linear(kMlpWidth, kWidth))) {
    for (auto* linear : {&widen_, &narrow_}) {
      nn::init::xavier_uniform_((*linear)->weight);
      nn::init::normal_((*linear)->bias, 0, 1e-6);
    }
  }

  torch::Tensor forward(const torch::Tensor& x) { return narrow_(torch::gelu(widen_(x))); }

 private:
  nn::Linear widen_;
  nn::Linear narrow_;
};

class EncoderBlock : public nn::Module {
 public:
  EncoderBlock()
      : norm1_(register_module("ln_1", norm())),
        attention_(register_module("self_attention", std::make_shared<SelfAttention>())),
        norm2_(register_module("ln_2", norm())),
        mlp_(register_module("mlp", std::make_shared<Mlp>())) {}

  torch::Tensor forward(torch::Tensor x) {
    x = attention_->forward(norm1_(x)) + x;
    return x + mlp_->forward(norm2_(x));
  }

 private:
  nn::LayerNorm norm1_;
  std::shared_ptr<SelfAttention> attention_;
  nn::LayerNorm norm2_;
  std::shared_ptr<Mlp> mlp_;
};

class Encoder : public nn::Module {
 public:
  /// `length`: the class token and the patches.
  explicit Encoder(int64_t length) {
    position_ = register_parameter("pos_embedding", torch::empty({1, length, kWidth}).normal_(0, 0.02));
    for (int64_t i = 0; i < kLayers; ++i) layers_->push_back("encoder_layer_" + std::to_string(i), std::make_shared<EncoderBlock>());
    register_module("layers", layers_);
    norm_ = register_module("ln", norm());
  }

  torch::Tensor forward(const torch::Tensor& x) { return norm_(layers_->forward(x + position_)); }

 private:
  torch::Tensor position_;
  nn::Sequential layers_;
  nn::LayerNorm norm_{nullptr};
};

class VisionTransformer : public Classifier {
 public:
  VisionTransformer(int64_t patch, const ModelSettings& settings)
      : image_size_(settings.image_size), patches_(register_module("conv_proj", nn::Conv2d(nn::Conv2dOptions(settings.input_channels, kWidth, patch).stride(patch)))) {
    const int64_t side = settings.image_size / patch;
    token_ = register_parameter("class_token", torch::zeros({1, 1, kWidth}));
    encoder_ = register_module("encoder", std::make_shared<Encoder>(side * side + 1));
    nn::Linear head(kWidth, settings.classes);
    heads_->push_back("head", head);
    register_module("heads", heads_);
    trunc_normal_(patches_->weight, std::sqrt(1.0 / static_cast<double>(settings.input_channels * patch * patch)));
    nn::init::zeros_(patches_->bias);
    nn::init::zeros_(head->weight);
    nn::init::zeros_(head->bias);
  }

  torch::Tensor forward(torch::Tensor x) override {
    TORCH_CHECK(x.size(2) == image_size_ && x.size(3) == image_size_, "the model was made for pictures of ", image_size_, " pixels, not ", x.size(2), " by ", x.size(3));
    x = patches_(x).flatten(2).permute({0, 2, 1});
    x = encoder_->forward(torch::cat({token_.expand({x.size(0), -1, -1}), x}, 1));
    return heads_->forward(x.select(1, 0));
  }

 private:
  int64_t image_size_;
  nn::Conv2d patches_;
  torch::Tensor token_;
  std::shared_ptr<Encoder> encoder_;
  nn::Sequential heads_;
};

Architecture architecture(const char* name, int64_t patch) {
  return {name, [patch](const ModelSettings& settings) { return std::make_shared<VisionTransformer>(patch, settings); }, {patch, patch}};
}

}  // namespace vision_transformer

std::vector<Architecture> vision_transformer_architectures() {
  using namespace vision_transformer;
  return {architecture("vit_b_16", 16), architecture("vit_b_32", 32)};
}

}  // namespace ringlab
