// MaxViT, tiny (Tu et al. 2022), as torchvision 0.14 builds it: convolution, attention within windows, attention over a grid of
// positions with a stride of the number of windows.
#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/pooling.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include "compat/torchvision.h"
#include "models/architectures/families.h"
#include "models/layers/conv_norm.h"
#include "models/layers/window_attention.h"

namespace ringlab {
namespace maxvit {

namespace nn = torch::nn;

constexpr int64_t kStem = 64;
constexpr std::array<int64_t, 4> kChannels{64, 128, 256, 512};
constexpr std::array<int64_t, 4> kDepths{2, 2, 5, 2};
constexpr int64_t kHeadWidth = 32;
constexpr int64_t kPartition = 7;  ///< windows per side in the grid, positions per side in a window
constexpr double kStochasticDepth = 0.2;
/// Every stage halves the resolution, and all of them divide it into windows.
constexpr int64_t kPixels = 224;

ConvNormOptions conv(int64_t kernel, int64_t stride, int64_t groups) {
  return {kernel, stride, groups, Activation::gelu, 1e-3, compat::kMaxVitMomentum};
}

/// A pre-norm inverted bottleneck; if it halves the resolution, the shortcut is pooling and 1x1.
class MBConv : public nn::Module {
 public:
  MBConv(int64_t in, int64_t out, int64_t stride, double drop) : drop_(drop) {
    if (stride != 1 || in != out) {
      projection_ = nn::Conv2d(nn::Conv2dOptions(in, out, 1));
      const auto projection = std::make_shared<nn::Module>();
      projection->register_module("1", projection_);  // 0 pools
      register_module("proj", projection);
    }
    const int64_t wide = 4 * out;
    layers_->push_back("pre_norm", BatchNorm2d(nn::BatchNorm2dOptions(in).eps(1e-3).momentum(compat::kMaxVitMomentum)));
    layers_->push_back("conv_a", std::make_shared<ConvNorm>(in, wide, conv(1, 1, 1)));
    layers_->push_back("conv_b", std::make_shared<ConvNorm>(wide, wide, conv(3, stride, wide)));
    layers_->push_back("squeeze_excitation", std::make_shared<SqueezeExcitation>(wide, out / 4, Activation::silu));
    layers_->push_back("conv_c", nn::Conv2d(nn::Conv2dOptions(wide, out, 1)));
    register_module("layers", layers_);
  }

  torch::Tensor forward(torch::Tensor x) {
    const torch::Tensor shortcut = projection_.is_empty() ? x : projection_(torch::avg_pool2d(x, {3, 3}, {2, 2}, {1, 1}));
    return shortcut + stochastic_depth(layers_->forward(x), drop_, is_training());
  }

 private:
  double drop_;
  nn::Conv2d projection_{nullptr};
  nn::Sequential layers_;
};

/// Self-attention over the second last dimension: (N, groups, positions, channels) to the same shape.
class RelativeAttention : public nn::Module {
 public:
  explicit RelativeAttention(int64_t channels)
      : heads_(channels / kHeadWidth), scale_(std::pow(static_cast<double>(channels), -0.5)), to_qkv_(register_module("to_qkv", nn::Linear(channels, 3 * channels))), merge_(register_module("merge", nn::Linear(channels, channels))) {
    constexpr int64_t kOffsets = 2 * kPartition - 1;
    table_ = register_parameter("relative_position_bias_table", torch::empty({kOffsets * kOffsets, heads_}));
    index_ = register_buffer("relative_position_index", relative_position_index(kPartition));
    trunc_normal_(table_, 0.02);
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const int64_t count = x.size(0), groups = x.size(1), places = x.size(2), channels = x.size(3);
    const auto parts = to_qkv_(x).chunk(3, -1);
    const auto by_head = [&](const torch::Tensor& part) { return part.reshape({count, groups, places, heads_, kHeadWidth}).permute({0, 1, 3, 2, 4}); };
    const torch::Tensor scores = torch::einsum("bghid,bghjd->bghij", {by_head(parts[0]), by_head(parts[1]) * scale_});
    const torch::Tensor weights = torch::softmax(scores + relative_position_bias(table_, index_, kPartition), -1);
    const torch::Tensor out = torch::einsum("bghij,bghjd->bghid", {weights, by_head(parts[2])});
    return merge_(out.permute({0, 1, 3, 2, 4}).reshape({count, groups, places, channels}));
  }

 private:
  int64_t heads_;
  double scale_;
  nn::Linear to_qkv_;
  nn::Linear merge_;
  torch::Tensor table_;
  torch::Tensor index_;
};

/// Attention and two linear layers over windows of neighbours, or over a grid: (N, C, H, W) to the same shape.
class PartitionAttention : public nn::Module {
 public:
  PartitionAttention(int64_t channels, bool grid, double drop) : grid_(grid), drop_(drop) {
    attend_->push_back("0", nn::LayerNorm(nn::LayerNormOptions({channels})));
    attend_->push_back("1", std::make_shared<RelativeAttention>(channels));
    register_module("attn_layer", attend_);
    norm_ = nn::LayerNorm(nn::LayerNormOptions({channels}));
    widen_ = nn::Linear(channels, 4 * channels);
    narrow_ = nn::Linear(4 * channels, channels);
    const auto mlp = std::make_shared<nn::Module>();
    mlp->register_module("0", norm_);
    mlp->register_module("1", widen_);
    mlp->register_module("3", narrow_);
    register_module("mlp_layer", mlp);
  }

  torch::Tensor forward(torch::Tensor x) {
    const int64_t count = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
    const int64_t side = grid_ ? height / kPartition : kPartition;
    const int64_t down = height / side, across = width / side;
    x = x.reshape({count, channels, down, side, across, side}).permute({0, 2, 4, 3, 5, 1}).reshape({count, down * across, side * side, channels});
    if (grid_) x = x.swapaxes(-2, -3);
    x = x + stochastic_depth(attend_->forward(x), drop_, is_training());
    x = x + stochastic_depth(narrow_(torch::gelu(widen_(norm_(x)))), drop_, is_training());
    if (grid_) x = x.swapaxes(-2, -3);
    return x.reshape({count, down, across, side, side, channels}).permute({0, 5, 1, 3, 2, 4}).reshape({count, channels, height, width});
  }

 private:
  bool grid_;
  double drop_;
  nn::Sequential attend_;
  nn::LayerNorm norm_{nullptr};
  nn::Linear widen_{nullptr};
  nn::Linear narrow_{nullptr};
};

std::shared_ptr<Chain> layer(int64_t in, int64_t out, int64_t stride, double drop) {
  const auto parts = std::make_shared<Chain>();
  parts->push_back("MBconv", std::make_shared<MBConv>(in, out, stride, drop));
  parts->push_back("window_attention", std::make_shared<PartitionAttention>(out, false, drop));
  parts->push_back("grid_attention", std::make_shared<PartitionAttention>(out, true, drop));
  return parts;
}

/// A module with a single child "layers".
class Layers : public nn::Module {
 public:
  explicit Layers(std::shared_ptr<Chain> layers) : layers_(register_module("layers", std::move(layers))) {}
  torch::Tensor forward(torch::Tensor x) { return layers_->forward(std::move(x)); }

 private:
  std::shared_ptr<Chain> layers_;
};

class MaxVit : public Classifier {
 public:
  explicit MaxVit(const ModelSettings& settings) {
    const auto widen = std::make_shared<Chain>();
    widen->push_back(nn::Conv2d(nn::Conv2dOptions(kStem, kStem, 3).padding(1)));
    stem_->push_back(std::make_shared<ConvNorm>(settings.input_channels, kStem, conv(3, 2, 1)));
    stem_->push_back(widen);
    register_module("stem", stem_);
    int64_t count = 0;
    for (const auto depth : kDepths) count += depth;
    int64_t number = 0;
    int64_t channels = kStem;
    for (size_t stage = 0; stage < kDepths.size(); ++stage) {
      const auto row = std::make_shared<Chain>();
      for (int64_t i = 0; i < kDepths[stage]; ++i) {
        // numpy.linspace: the last value is exact.
        const double drop = number + 1 == count ? kStochasticDepth : static_cast<double>(number) * (kStochasticDepth / static_cast<double>(count - 1));
        ++number;
        row->push_back(std::make_shared<Layers>(layer(channels, kChannels[stage], i == 0 ? 2 : 1, drop)));
        channels = kChannels[stage];
      }
      blocks_->push_back(std::make_shared<Layers>(row));
    }
    register_module("blocks", blocks_);
    norm_ = nn::LayerNorm(nn::LayerNormOptions({channels}));
    hidden_ = nn::Linear(channels, channels);
    logits_ = nn::Linear(nn::LinearOptions(channels, settings.classes).bias(false));
    const auto classifier = std::make_shared<nn::Module>();
    classifier->register_module("2", norm_);
    classifier->register_module("3", hidden_);
    classifier->register_module("5", logits_);
    register_module("classifier", classifier);
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* found = module->as<nn::Conv2d>()) initialise(found->weight, found->bias);
      if (auto* found = module->as<nn::Linear>()) initialise(found->weight, found->bias);
    }
  }

  torch::Tensor forward(torch::Tensor x) override {
    TORCH_CHECK(x.size(2) % kPixels == 0 && x.size(3) % kPixels == 0, "the model takes multiples of ", kPixels, " pixels, not ", x.size(2), " by ", x.size(3));
    x = torch::adaptive_avg_pool2d(blocks_->forward(stem_->forward(x)), {1, 1}).flatten(1);
    return logits_(torch::tanh(hidden_(norm_(x))));
  }

 private:
  static void initialise(torch::Tensor& weight, torch::Tensor& bias) {
    nn::init::normal_(weight, 0, 0.02);
    if (bias.defined()) nn::init::zeros_(bias);
  }

  nn::Sequential stem_;
  nn::Sequential blocks_;
  nn::LayerNorm norm_{nullptr};
  nn::Linear hidden_{nullptr};
  nn::Linear logits_{nullptr};
};

}  // namespace maxvit

std::vector<Architecture> maxvit_architectures() {
  using namespace maxvit;
  return {{"maxvit_t", [](const ModelSettings& settings) { return std::make_shared<MaxVit>(settings); }, {kPixels, kPixels}}};
}

}  // namespace ringlab
