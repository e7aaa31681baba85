// Inception v3 (Szegedy et al. 2015) as torchvision 0.14 builds it, with its auxiliary classifier. Designed for 299 px,
// which is the minimum for training, as the auxiliary classifier would have no pixel left.
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <map>
#include <memory>

#include "models/architectures/families.h"
#include "models/layers/conv_norm.h"
#include "models/layers/inception_conv.h"
#include "models/layers/transform_input.h"

namespace ringlab {
namespace inception_v3 {

namespace nn = torch::nn;

/// Convolutions by name, in sequence within a branch; as in torchvision all are direct children of the block.
class Branches : public nn::Module {
 public:
  void add(const std::string& name, int64_t in, int64_t out, const InceptionConvOptions& options = {}) {
    convs_[name] = register_module(name, std::make_shared<InceptionConv>(in, out, options));
  }
  torch::Tensor run(torch::Tensor x, std::initializer_list<const char*> names) {
    for (const char* name : names) x = convs_.at(name)->forward(x);
    return x;
  }
  virtual torch::Tensor forward(torch::Tensor x) = 0;

 private:
  std::map<std::string, std::shared_ptr<InceptionConv>> convs_;
};

const InceptionConvOptions kWide{{1, 7}, 1, {0, 3}};
const InceptionConvOptions kTall{{7, 1}, 1, {3, 0}};

torch::Tensor mean3x3(const torch::Tensor& x) { return torch::avg_pool2d(x, 3, 1, 1); }
torch::Tensor max3x3(const torch::Tensor& x) { return torch::max_pool2d(x, 3, 2); }

/// 35x35: 1x1, 5x5, twice 3x3, pooling.
class BlockA : public Branches {
 public:
  BlockA(int64_t in, int64_t pooled) {
    add("branch1x1", in, 64);
    add("branch5x5_1", in, 48);
    add("branch5x5_2", 48, 64, square(5, 1, 2));
    add("branch3x3dbl_1", in, 64);
    add("branch3x3dbl_2", 64, 96, square(3, 1, 1));
    add("branch3x3dbl_3", 96, 96, square(3, 1, 1));
    add("branch_pool", in, pooled);
  }
  torch::Tensor forward(torch::Tensor x) override {
    return torch::cat({run(x, {"branch1x1"}), run(x, {"branch5x5_1", "branch5x5_2"}),
                       run(x, {"branch3x3dbl_1", "branch3x3dbl_2", "branch3x3dbl_3"}), run(mean3x3(x), {"branch_pool"})},
                      1);
  }
};

/// From 35x35 to 17x17.
class BlockB : public Branches {
 public:
  explicit BlockB(int64_t in) {
    add("branch3x3", in, 384, square(3, 2));
    add("branch3x3dbl_1", in, 64);
    add("branch3x3dbl_2", 64, 96, square(3, 1, 1));
    add("branch3x3dbl_3", 96, 96, square(3, 2));
  }
  torch::Tensor forward(torch::Tensor x) override {
    return torch::cat({run(x, {"branch3x3"}), run(x, {"branch3x3dbl_1", "branch3x3dbl_2", "branch3x3dbl_3"}), max3x3(x)}, 1);
  }
};

/// 17x17: 7x7 as 1x7 and 7x1, once and twice.
class BlockC : public Branches {
 public:
  BlockC(int64_t in, int64_t between) {
    add("branch1x1", in, 192);
    add("branch7x7_1", in, between);
    add("branch7x7_2", between, between, kWide);
    add("branch7x7_3", between, 192, kTall);
    add("branch7x7dbl_1", in, between);
    add("branch7x7dbl_2", between, between, kTall);
    add("branch7x7dbl_3", between, between, kWide);
    add("branch7x7dbl_4", between, between, kTall);
    add("branch7x7dbl_5", between, 192, kWide);
    add("branch_pool", in, 192);
  }
  torch::Tensor forward(torch::Tensor x) override {
    return torch::cat({run(x, {"branch1x1"}), run(x, {"branch7x7_1", "branch7x7_2", "branch7x7_3"}),
                       run(x, {"branch7x7dbl_1", "branch7x7dbl_2", "branch7x7dbl_3", "branch7x7dbl_4", "branch7x7dbl_5"}),
                       run(mean3x3(x), {"branch_pool"})},
                      1);
  }
};

/// From 17x17 to 8x8.
class BlockD : public Branches {
 public:
  explicit BlockD(int64_t in) {
    add("branch3x3_1", in, 192);
    add("branch3x3_2", 192, 320, square(3, 2));
    add("branch7x7x3_1", in, 192);
    add("branch7x7x3_2", 192, 192, kWide);
    add("branch7x7x3_3", 192, 192, kTall);
    add("branch7x7x3_4", 192, 192, square(3, 2));
  }
  torch::Tensor forward(torch::Tensor x) override {
    return torch::cat(
        {run(x, {"branch3x3_1", "branch3x3_2"}), run(x, {"branch7x7x3_1", "branch7x7x3_2", "branch7x7x3_3", "branch7x7x3_4"}), max3x3(x)}, 1);
  }
};

/// 8x8: the 3x3 as 1x3 beside 3x1.
class BlockE : public Branches {
 public:
  explicit BlockE(int64_t in) {
    const InceptionConvOptions wide{{1, 3}, 1, {0, 1}};
    const InceptionConvOptions tall{{3, 1}, 1, {1, 0}};
    add("branch1x1", in, 320);
    add("branch3x3_1", in, 384);
    add("branch3x3_2a", 384, 384, wide);
    add("branch3x3_2b", 384, 384, tall);
    add("branch3x3dbl_1", in, 448);
    add("branch3x3dbl_2", 448, 384, square(3, 1, 1));
    add("branch3x3dbl_3a", 384, 384, wide);
    add("branch3x3dbl_3b", 384, 384, tall);
    add("branch_pool", in, 192);
  }
  torch::Tensor forward(torch::Tensor x) override {
    const torch::Tensor once = run(x, {"branch3x3_1"});
    const torch::Tensor twice = run(x, {"branch3x3dbl_1", "branch3x3dbl_2"});
    return torch::cat({run(x, {"branch1x1"}), run(once, {"branch3x3_2a"}), run(once, {"branch3x3_2b"}), run(twice, {"branch3x3dbl_3a"}),
                       run(twice, {"branch3x3dbl_3b"}), run(mean3x3(x), {"branch_pool"})},
                      1);
  }
};

class AuxiliaryHead : public nn::Module {
 public:
  AuxiliaryHead(int64_t in, int64_t classes)
      : conv0_(register_module("conv0", std::make_shared<InceptionConv>(in, 128))),
        conv1_(register_module("conv1", std::make_shared<InceptionConv>(128, 768, square(5)))),
        fc_(register_module("fc", nn::Linear(768, classes))) {}

  torch::Tensor forward(torch::Tensor x) {
    x = conv1_->forward(conv0_->forward(torch::avg_pool2d(x, 5, 3)));
    return fc_(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

  const nn::Linear& fc() const { return fc_; }

 private:
  std::shared_ptr<InceptionConv> conv0_;
  std::shared_ptr<InceptionConv> conv1_;
  nn::Linear fc_;
};

class InceptionV3 : public Classifier {
 public:
  explicit InceptionV3(const ModelSettings& settings) : transform_input_(settings.transform_input) {
    stem("Conv2d_1a_3x3", settings.input_channels, 32, square(3, 2));
    stem("Conv2d_2a_3x3", 32, 32, square(3));
    stem("Conv2d_2b_3x3", 32, 64, square(3, 1, 1));
    stem("Conv2d_3b_1x1", 64, 80, square(1));
    stem("Conv2d_4a_3x3", 80, 192, square(3));
    block("Mixed_5b", std::make_shared<BlockA>(192, 32));
    block("Mixed_5c", std::make_shared<BlockA>(256, 64));
    block("Mixed_5d", std::make_shared<BlockA>(288, 64));
    block("Mixed_6a", std::make_shared<BlockB>(288));
    block("Mixed_6b", std::make_shared<BlockC>(768, 128));
    block("Mixed_6c", std::make_shared<BlockC>(768, 160));
    block("Mixed_6d", std::make_shared<BlockC>(768, 160));
    block("Mixed_6e", std::make_shared<BlockC>(768, 192));
    if (settings.auxiliary) auxiliary_ = register_module("AuxLogits", std::make_shared<AuxiliaryHead>(768, settings.classes));
    before_auxiliary_ = blocks_.size();
    block("Mixed_7a", std::make_shared<BlockD>(768));
    block("Mixed_7b", std::make_shared<BlockE>(1280));
    block("Mixed_7c", std::make_shared<BlockE>(2048));
    dropout_ = register_module("dropout", nn::Dropout(0.5));
    fc_ = register_module("fc", nn::Linear(2048, settings.classes));
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<nn::Conv2d>()) trunc_normal_(conv->weight, 0.1);
      else if (auto* linear = module->as<nn::Linear>()) trunc_normal_(linear->weight, auxiliary_ && linear == auxiliary_->fc().get() ? 0.001 : 0.1);
    }
  }

  Outputs outputs(torch::Tensor x) override {
    Outputs result;
    if (transform_input_) x = transform_input(x);
    for (size_t i = 0; i < stem_.size(); ++i) {
      x = stem_[i]->forward(x);
      if (i == 2 || i == 4) x = max3x3(x);
    }
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (i == before_auxiliary_ && is_training() && auxiliary_) result.auxiliary.push_back(auxiliary_->forward(x));
      x = blocks_[i]->forward(x);
    }
    result.logits = fc_(dropout_(torch::adaptive_avg_pool2d(x, {1, 1})).flatten(1));
    return result;
  }

  torch::Tensor forward(torch::Tensor x) override { return outputs(std::move(x)).logits; }

  /// The weight in TensorFlow's recipe and torchvision's references.
  double auxiliary_weight() const override { return 0.4; }

 private:
  void stem(const char* name, int64_t in, int64_t out, const InceptionConvOptions& options) {
    stem_.push_back(register_module(name, std::make_shared<InceptionConv>(in, out, options)));
  }
  void block(const char* name, const std::shared_ptr<Branches>& made) { blocks_.push_back(register_module(name, made)); }

  std::vector<std::shared_ptr<InceptionConv>> stem_;
  std::vector<std::shared_ptr<Branches>> blocks_;
  size_t before_auxiliary_ = 0;
  const bool transform_input_;
  std::shared_ptr<AuxiliaryHead> auxiliary_;  ///< null without auxiliary heads
  nn::Dropout dropout_{nullptr};
  nn::Linear fc_{nullptr};
};

}  // namespace inception_v3

std::vector<Architecture> inception_v3_architectures() {
  using namespace inception_v3;
  return {{"inception_v3", [](const ModelSettings& settings) { return std::make_shared<InceptionV3>(settings); }, {299, 1}}};
}

}  // namespace ringlab
