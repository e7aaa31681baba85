// Swin Transformer (Liu et al. 2021) and its second version (Liu et al. 2022) as torchvision 0.14 builds them. Between the stem
// and the head the layout is (N, H, W, C); any image size is valid, padded to whole windows.
#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/normalization.h>
#include <torch/nn/functional/padding.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/conv_norm.h"
#include "models/layers/transformer_mlp.h"
#include "models/layers/window_attention.h"

namespace ringlab {
namespace swin_transformer {

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct Shape {
  int64_t width;  ///< of the first stage; doubled in each further one
  std::array<int64_t, 4> depths;
  std::array<int64_t, 4> heads;
  int64_t window;  ///< positions per side
  double stochastic_depth;  ///< of the last block; increases linearly from 0
  bool second;              ///< Swin V2: cosine attention, continuous position bias, norms after the branches
};

/// Positions that were not adjacent before a cyclic shift do not attend to each other: (windows, positions, positions)
/// of 0 and -100.
torch::Tensor shift_mask(const torch::Tensor& x, int64_t height, int64_t width, int64_t window, int64_t down, int64_t across) {
  const auto parts = [&](int64_t size, int64_t shift) {
    const torch::Tensor part = x.new_zeros({size});
    if (shift > 0) {
      part.slice(0, size - window, size - shift).fill_(1);
      part.slice(0, size - shift, size).fill_(2);
    }
    return part;
  };
  const torch::Tensor regions = 3 * parts(height, down).unsqueeze(1) + parts(width, across).unsqueeze(0);
  const torch::Tensor windows = regions.view({height / window, window, width / window, window}).permute({0, 2, 1, 3}).reshape({-1, window * window});
  const torch::Tensor apart = windows.unsqueeze(1) - windows.unsqueeze(2);
  return apart.masked_fill(apart != 0, -100.0).masked_fill(apart == 0, 0.0);
}

/// Self-attention within optionally shifted windows: (N, H, W, C) to the same shape.
class ShiftedWindowAttention : public nn::Module {
 public:
  ShiftedWindowAttention(int64_t width, int64_t heads, int64_t window, int64_t shift)
      : heads_(heads), window_(window), shift_(shift), qkv_(register_module("qkv", nn::Linear(width, 3 * width))), proj_(register_module("proj", nn::Linear(width, width))) {}

  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor bias = position_bias();
    const int64_t count = input.size(0), rows = input.size(1), columns = input.size(2), channels = input.size(3);
    const int64_t height = (rows + window_ - 1) / window_ * window_;
    const int64_t width = (columns + window_ - 1) / window_ * window_;
    torch::Tensor x = F::pad(input, F::PadFuncOptions({0, 0, 0, width - columns, 0, height - rows}));
    // With a single window there is nothing to shift.
    const int64_t down = window_ >= height ? 0 : shift_;
    const int64_t across = window_ >= width ? 0 : shift_;
    const bool shifted = down + across > 0;
    if (shifted) x = torch::roll(x, {-down, -across}, {1, 2});
    const int64_t down_windows = height / window_, across_windows = width / window_, windows = down_windows * across_windows;
    const int64_t length = window_ * window_;
    x = x.view({count, down_windows, window_, across_windows, window_, channels}).permute({0, 1, 3, 2, 4, 5}).reshape({count * windows, length, channels});
    const auto parts = torch::linear(x, qkv_->weight, qkv_bias()).reshape({x.size(0), length, 3, heads_, channels / heads_}).permute({2, 0, 3, 1, 4}).unbind(0);
    torch::Tensor weights = scores(parts[0], parts[1]) + bias;
    if (shifted) {
      const torch::Tensor mask = shift_mask(x, height, width, window_, down, across);
      weights = weights.view({count, windows, heads_, length, length}) + mask.unsqueeze(1).unsqueeze(0);
      weights = weights.view({-1, heads_, length, length});
    }
    weights = torch::softmax(weights, -1);
    x = proj_(weights.matmul(parts[2]).transpose(1, 2).reshape({x.size(0), length, channels}));
    x = x.view({count, down_windows, across_windows, window_, window_, channels}).permute({0, 1, 3, 2, 4, 5}).reshape({count, height, width, channels});
    if (shifted) x = torch::roll(x, {down, across}, {1, 2});
    return x.slice(1, 0, rows).slice(2, 0, columns).contiguous();
  }

 protected:
  /// (1, heads, positions, positions), added to the scores.
  virtual torch::Tensor position_bias() = 0;
  virtual torch::Tensor qkv_bias() { return qkv_->bias; }
  /// From queries and keys, (windows, heads, positions, d) each: (windows, heads, positions, positions).
  virtual torch::Tensor scores(const torch::Tensor& q, const torch::Tensor& k) { return (q * std::pow(static_cast<double>(q.size(-1)), -0.5)).matmul(k.transpose(-2, -1)); }

  int64_t heads_;
  int64_t window_;
  int64_t shift_;
  nn::Linear qkv_;
  nn::Linear proj_;
};

class FirstAttention : public ShiftedWindowAttention {
 public:
  FirstAttention(int64_t width, int64_t heads, int64_t window, int64_t shift) : ShiftedWindowAttention(width, heads, window, shift) {
    const int64_t offsets = 2 * window - 1;
    table_ = register_parameter("relative_position_bias_table", torch::zeros({offsets * offsets, heads}));
    trunc_normal_(table_, 0.02);
    index_ = register_buffer("relative_position_index", relative_position_index(window).flatten());
  }

 private:
  torch::Tensor position_bias() override { return relative_position_bias(table_, index_, window_); }

  torch::Tensor table_;
  torch::Tensor index_;
};

class SecondAttention : public ShiftedWindowAttention {
 public:
  SecondAttention(int64_t width, int64_t heads, int64_t window, int64_t shift) : ShiftedWindowAttention(width, heads, window, shift) {
    const torch::Tensor offset = torch::arange(-(window - 1), window, torch::kFloat) / static_cast<double>(window - 1);
    const int64_t offsets = 2 * window - 1;
    const torch::Tensor down = offset.unsqueeze(1).expand({offsets, offsets});
    const torch::Tensor across = offset.unsqueeze(0).expand({offsets, offsets});
    const torch::Tensor scaled = torch::stack({down, across}, -1).unsqueeze(0) * 8;
    coordinates_ = register_buffer("relative_coords_table", torch::sign(scaled) * torch::log2(torch::abs(scaled) + 1.0) / 3.0);
    index_ = register_buffer("relative_position_index", relative_position_index(window).flatten());
    logit_scale_ = register_parameter("logit_scale", torch::log(10 * torch::ones({heads, 1, 1})));
    wide_ = nn::Linear(2, 512);
    narrow_ = nn::Linear(nn::LinearOptions(512, heads).bias(false));
    const auto mlp = std::make_shared<nn::Module>();
    mlp->register_module("0", wide_);
    mlp->register_module("2", narrow_);
    register_module("cpb_mlp", mlp);
  }

 private:
  torch::Tensor position_bias() override {
    const torch::Tensor table = narrow_(wide_(coordinates_).relu_()).view({-1, heads_});
    return 16 * torch::sigmoid(relative_position_bias(table, index_, window_));
  }

  /// Keys have no bias.
  torch::Tensor qkv_bias() override {
    const torch::Tensor bias = qkv_->bias.clone();
    const int64_t length = bias.numel() / 3;
    bias.slice(0, length, 2 * length).zero_();
    return bias;
  }

  torch::Tensor scores(const torch::Tensor& q, const torch::Tensor& k) override {
    const auto along = F::NormalizeFuncOptions().dim(-1);
    return F::normalize(q, along).matmul(F::normalize(k, along).transpose(-2, -1)) * torch::clamp_max(logit_scale_, std::log(100.0)).exp();
  }

  torch::Tensor coordinates_;
  torch::Tensor index_;
  torch::Tensor logit_scale_;
  nn::Linear wide_{nullptr};
  nn::Linear narrow_{nullptr};
};

class Block : public nn::Module {
 public:
  Block(int64_t width, int64_t heads, int64_t shift, double drop, const Shape& shape) : second_(shape.second), drop_(drop) {
    norm1_ = register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({width})));
    if (second_) attention_ = register_module("attn", std::make_shared<SecondAttention>(width, heads, shape.window, shift));
    else attention_ = register_module("attn", std::make_shared<FirstAttention>(width, heads, shape.window, shift));
    norm2_ = register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({width})));
    mlp_ = register_module("mlp", std::make_shared<TransformerMlp>(width, 4 * width));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = x + stochastic_depth(second_ ? norm1_(attention_->forward(x)) : attention_->forward(norm1_(x)), drop_, is_training());
    return x + stochastic_depth(second_ ? norm2_(mlp_->forward(x)) : mlp_->forward(norm2_(x)), drop_, is_training());
  }

 private:
  bool second_;
  double drop_;
  nn::LayerNorm norm1_{nullptr};
  std::shared_ptr<ShiftedWindowAttention> attention_;
  nn::LayerNorm norm2_{nullptr};
  std::shared_ptr<TransformerMlp> mlp_;
};

/// Merges four neighbours into one position with twice the channels: (N, H, W, C) to (N, H / 2, W / 2, 2 C), rounded
/// up.
class PatchMerging : public nn::Module {
 public:
  PatchMerging(int64_t width, bool second)
      : second_(second),
        reduction_(register_module("reduction", nn::Linear(nn::LinearOptions(4 * width, 2 * width).bias(false)))),
        norm_(register_module("norm", nn::LayerNorm(nn::LayerNormOptions({second ? 2 * width : 4 * width})))) {}

  torch::Tensor forward(torch::Tensor x) {
    x = F::pad(x, F::PadFuncOptions({0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2}));
    const auto every_second = [&x](int64_t row, int64_t column) { return x.slice(1, row, c10::nullopt, 2).slice(2, column, c10::nullopt, 2); };
    x = torch::cat({every_second(0, 0), every_second(1, 0), every_second(0, 1), every_second(1, 1)}, -1);
    return second_ ? norm_(reduction_(x)) : reduction_(norm_(x));
  }

 private:
  bool second_;
  nn::Linear reduction_;
  nn::LayerNorm norm_;
};

/// Embeds patches of 4 x 4 pixels: (N, C, H, W) to (N, H / 4, W / 4, width). torchvision's child 1, a permutation, has no parameters.
class Patches : public nn::Module {
 public:
  Patches(int64_t channels, int64_t width)
      : conv_(register_module("0", nn::Conv2d(nn::Conv2dOptions(channels, width, 4).stride(4)))), norm_(register_module("2", nn::LayerNorm(nn::LayerNormOptions({width})))) {}

  torch::Tensor forward(torch::Tensor x) { return norm_(conv_(x).permute({0, 2, 3, 1})); }

 private:
  nn::Conv2d conv_;
  nn::LayerNorm norm_;
};

class SwinTransformer : public Classifier {
 public:
  SwinTransformer(const Shape& shape, const ModelSettings& settings) {
    features_->push_back(std::make_shared<Patches>(settings.input_channels, shape.width));
    int64_t blocks = 0;
    for (const auto depth : shape.depths) blocks += depth;
    int64_t block = 0;
    int64_t width = shape.width;
    for (size_t stage = 0; stage < shape.depths.size(); ++stage) {
      const auto row = std::make_shared<Chain>();
      for (int64_t i = 0; i < shape.depths[stage]; ++i) {
        const double drop = shape.stochastic_depth * static_cast<double>(block++) / static_cast<double>(blocks - 1);
        row->push_back(std::make_shared<Block>(width, shape.heads[stage], i % 2 == 0 ? 0 : shape.window / 2, drop, shape));
      }
      features_->push_back(row);
      if (stage + 1 == shape.depths.size()) break;
      features_->push_back(std::make_shared<PatchMerging>(width, shape.second));
      width *= 2;
    }
    register_module("features", features_);
    norm_ = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({width})));
    head_ = register_module("head", nn::Linear(width, settings.classes));
    for (const auto& module : modules(/*include_self=*/false)) {
      auto* linear = module->as<nn::Linear>();
      if (linear == nullptr) continue;
      trunc_normal_(linear->weight, 0.02);
      if (linear->bias.defined()) nn::init::zeros_(linear->bias);
    }
  }

  torch::Tensor forward(torch::Tensor x) override {
    x = norm_(features_->forward(x)).permute({0, 3, 1, 2});
    return head_(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  nn::Sequential features_;
  nn::LayerNorm norm_{nullptr};
  nn::Linear head_{nullptr};
};

Architecture architecture(const char* name, const Shape& shape) {
  return {name, [shape](const ModelSettings& settings) { return std::make_shared<SwinTransformer>(shape, settings); }};
}

}  // namespace swin_transformer

std::vector<Architecture> swin_transformer_architectures() {
  using namespace swin_transformer;
  return {
      architecture("swin_t", {96, {2, 2, 6, 2}, {3, 6, 12, 24}, 7, 0.2, false}),
      architecture("swin_s", {96, {2, 2, 18, 2}, {3, 6, 12, 24}, 7, 0.3, false}),
      architecture("swin_b", {128, {2, 2, 18, 2}, {4, 8, 16, 32}, 7, 0.5, false}),
      architecture("swin_v2_t", {96, {2, 2, 6, 2}, {3, 6, 12, 24}, 8, 0.2, true}),
      architecture("swin_v2_s", {96, {2, 2, 18, 2}, {3, 6, 12, 24}, 8, 0.3, true}),
      architecture("swin_v2_b", {128, {2, 2, 18, 2}, {4, 8, 16, 32}, 8, 0.5, true}),
  };
}

}  // namespace ringlab
