// Vision Transformer (Dosovitskiy et al. 2021), as torchvision 0.14 builds it. Its image size is part of the model.
#include <torch/nn/functional/activation.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>
#include <cstdint>
#include <memory>

#include "compat/attention.h"
#include "models/architectures/families.h"
#include "models/layers/conv_norm.h"
#include "models/layers/transformer_mlp.h"

namespace ringlab {
namespace vision_transformer {

namespace nn = torch::nn;

struct Shape {
  int64_t patch;
  int64_t layers;
  int64_t heads;
  int64_t width;
  int64_t mlp_width;
};

nn::LayerNorm norm(int64_t width) { return nn::LayerNorm(nn::LayerNormOptions({width}).eps(1e-6)); }

/// Python's nn.MultiheadAttention for self-attention: (N, length, width) to the same shape.
class SelfAttention : public nn::Module {
 public:
  SelfAttention(int64_t width, int64_t heads) : width_(width), heads_(heads), out_(register_module("out_proj", nn::Linear(width, width))) {
    weight_ = register_parameter("in_proj_weight", torch::empty({3 * width, width}));
    bias_ = register_parameter("in_proj_bias", torch::zeros({3 * width}));
    nn::init::xavier_uniform_(weight_);
    nn::init::zeros_(out_->bias);
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const auto n = x.size(0), length = x.size(1);
    const auto parts = torch::linear(x, weight_, bias_).view({n, length, 3, heads_, width_ / heads_}).permute({2, 0, 3, 1, 4}).unbind(0);
    return out_(compat::attention(parts[0], parts[1], parts[2]).transpose(1, 2).reshape({n, length, width_}));
  }

 private:
  int64_t width_;
  int64_t heads_;
  nn::Linear out_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};

class EncoderBlock : public nn::Module {
 public:
  explicit EncoderBlock(const Shape& shape)
      : norm1_(register_module("ln_1", norm(shape.width))),
        attention_(register_module("self_attention", std::make_shared<SelfAttention>(shape.width, shape.heads))),
        norm2_(register_module("ln_2", norm(shape.width))),
        mlp_(register_module("mlp", std::make_shared<TransformerMlp>(shape.width, shape.mlp_width))) {}

  torch::Tensor forward(torch::Tensor x) {
    x = attention_->forward(norm1_(x)) + x;
    return x + mlp_->forward(norm2_(x));
  }

 private:
  nn::LayerNorm norm1_;
  std::shared_ptr<SelfAttention> attention_;
  nn::LayerNorm norm2_;
  std::shared_ptr<TransformerMlp> mlp_;
};

class Encoder : public nn::Module {
 public:
  /// `length`: the class token and the patches.
  Encoder(int64_t length, const Shape& shape) {
    position_ = register_parameter("pos_embedding", torch::empty({1, length, shape.width}).normal_(0, 0.02));
    for (int64_t i = 0; i < shape.layers; ++i) layers_->push_back("encoder_layer_" + std::to_string(i), std::make_shared<EncoderBlock>(shape));
    register_module("layers", layers_);
    norm_ = register_module("ln", norm(shape.width));
  }

  torch::Tensor forward(const torch::Tensor& x) { return norm_(layers_->forward(x + position_)); }

 private:
  torch::Tensor position_;
  nn::Sequential layers_;
  nn::LayerNorm norm_{nullptr};
};

class VisionTransformer : public Classifier {
 public:
  VisionTransformer(const Shape& shape, const ModelSettings& settings)
      : image_size_(settings.image_size),
        patches_(register_module("conv_proj", nn::Conv2d(nn::Conv2dOptions(settings.input_channels, shape.width, shape.patch).stride(shape.patch)))) {
    const int64_t side = settings.image_size / shape.patch;
    token_ = register_parameter("class_token", torch::zeros({1, 1, shape.width}));
    encoder_ = register_module("encoder", std::make_shared<Encoder>(side * side + 1, shape));
    nn::Linear head(shape.width, settings.classes);
    heads_->push_back("head", head);
    register_module("heads", heads_);
    trunc_normal_(patches_->weight, std::sqrt(1.0 / static_cast<double>(settings.input_channels * shape.patch * shape.patch)));
    nn::init::zeros_(patches_->bias);
    nn::init::zeros_(head->weight);
    nn::init::zeros_(head->bias);
  }

  torch::Tensor forward(torch::Tensor x) override {
    TORCH_CHECK(x.size(2) == image_size_ && x.size(3) == image_size_, "the model was made for images of ", image_size_, " pixels, not ", x.size(2), " by ", x.size(3));
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

Architecture architecture(const char* name, const Shape& shape) {
  return {name, [shape](const ModelSettings& settings) { return std::make_shared<VisionTransformer>(shape, settings); }, {shape.patch, shape.patch}};
}

}  // namespace vision_transformer

std::vector<Architecture> vision_transformer_architectures() {
  using namespace vision_transformer;
  return {
      architecture("vit_b_16", {16, 12, 12, 768, 3072}),
      architecture("vit_b_32", {32, 12, 12, 768, 3072}),
      architecture("vit_l_16", {16, 24, 16, 1024, 4096}),
      architecture("vit_l_32", {32, 24, 16, 1024, 4096}),
      architecture("vit_h_14", {14, 32, 16, 1280, 5120}),
  };
}

}  // namespace ringlab
