// Grey input, which torchvision's models with three channels cannot verify.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "models/architectures/catalog.h"
#include "models/architectures/registry.h"

namespace ringlab {
namespace {

TEST(Catalog, NamesWhatTheRegistryHas) { EXPECT_EQ(architecture_names(), registered_names()) << "a new architecture stands in models/catalog.cpp, too"; }

class GreyInput : public testing::TestWithParam<const char*> {};

TEST_P(GreyInput, IsTakenByTheFirstLayerAlone) {
  const torch::NoGradGuard no_grad;
  ModelSettings settings;
  settings.classes = 4;
  settings.image_size = std::string(GetParam()) == "inception_v3" ? 299 : 224;
  torch::manual_seed(1);
  const auto colour = make_model(GetParam(), settings);
  settings.input_channels = 1;
  torch::manual_seed(1);
  const auto grey = make_model(GetParam(), settings);
  const auto shapes_of = [](const Classifier& model) {
    std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
    for (const auto& [name, tensor] : state_dict(model)) shapes.emplace_back(name, tensor.sizes().vec());
    return shapes;
  };
  const auto theirs = shapes_of(*colour);
  const auto ours = shapes_of(*grey);
  ASSERT_EQ(theirs.size(), ours.size());
  int different = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].first, theirs[i].first);
    if (ours[i].second == theirs[i].second) continue;
    ++different;
    EXPECT_EQ(ours[i].second[1], 1) << ours[i].first;
  }
  EXPECT_EQ(different, 1);
  grey->eval();
  const torch::Tensor logits = grey->forward(torch::rand({1, 1, settings.image_size, settings.image_size}));
  EXPECT_EQ(logits.sizes().vec(), (std::vector<int64_t>{1, 4}));
  EXPECT_TRUE(logits.isfinite().all().item<bool>());
}

/// One of each family; without RINGLAB_ALL=1 those whose initial weights are drawn within a second.
std::vector<const char*> families() {
  std::vector<const char*> names = {"resnet18", "densenet121", "shufflenet_v2_x0_5", "mobilenet_v2", "mobilenet_v3_small", "squeezenet1_1", "mnasnet0_5", "efficientnet_b0", "regnet_y_400mf"};
  const char* all = std::getenv("RINGLAB_ALL");
  if (all != nullptr && std::string(all) == "1") names.insert(names.end(), {"alexnet", "vgg11", "googlenet", "inception_v3", "convnext_tiny", "vit_b_32"});
  return names;
}

INSTANTIATE_TEST_SUITE_P(EachFamily, GreyInput, testing::ValuesIn(families()), [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace ringlab
