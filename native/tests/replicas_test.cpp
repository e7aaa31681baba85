// A batch split over replicas: the gradients of the undivided batch, or DataParallel's if batch norm sees chunks.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/utils.h>

#include <algorithm>
#include <memory>

#include "models/loss.h"
#include "models/replicas.h"

namespace ringlab {
namespace {

std::shared_ptr<Classifier> make(const char* name) {
  ModelSettings settings;
  settings.classes = 10;
  settings.image_size = 64;
  return make_model(name, settings);
}

Replicas replicas_of(const char* name, const std::shared_ptr<Classifier>& model, size_t count) {
  return {model, [name] { return make(name); }, std::vector<c10::Device>(count, at::kCPU)};
}

void step(Replicas& replicas, const Classifier& model, const torch::Tensor& images, const torch::Tensor& labels) {
  losses_of(model, replicas.forward(images), labels).objective.backward();
  replicas.backward();
}

/// The model's gradients, which are reset.
std::vector<torch::Tensor> take_gradients(const Classifier& model) {
  std::vector<torch::Tensor> gradients;
  for (auto& parameter : model.parameters()) {
    gradients.push_back(parameter.grad().clone());
    parameter.mutable_grad().reset();
  }
  return gradients;
}

double largest_difference(const std::vector<torch::Tensor>& one, const std::vector<torch::Tensor>& other) {
  double largest = one.size() == other.size() ? 0 : 1e9;
  for (size_t i = 0; i < std::min(one.size(), other.size()); ++i) largest = std::max(largest, (one[i] - other[i]).abs().max().item<double>());
  return largest;
}

TEST(Replicas, GiveTheGradientsOfOneUndividedBatch) {
  torch::manual_seed(3);
  const auto model = make("squeezenet1_1");
  model->eval();  // without dropout, which would draw other numbers for the chunks
  const auto images = torch::randn({7, 3, 64, 64});
  const auto labels = torch::arange(7);
  losses_of(*model, model->outputs(images), labels).objective.backward();
  const auto whole = take_gradients(*model);
  auto replicas = replicas_of("squeezenet1_1", model, 3);
  for (int round = 0; round < 2; ++round) {
    step(replicas, *model, images, labels);
    EXPECT_EQ(replicas.used(), 3U);
    EXPECT_LT(largest_difference(take_gradients(*model), whole), 1e-5) << "round " << round;
  }
  // Gradients are added over two batches, as without replicas; and in-place changes of the weights reach the replicas.
  step(replicas, *model, images, labels);
  step(replicas, *model, images, labels);
  const auto twice = take_gradients(*model);
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_LT((twice[i] - 2 * whole[i]).abs().max().item<double>(), 2e-5);
  {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : model->parameters()) parameter.mul_(0.5);
  }
  EXPECT_TRUE(torch::allclose(replicas.forward(images).logits, model->forward(images), 1e-5, 1e-6));
}

TEST(Replicas, NormaliseTheirChunksAndKeepTheFirstOnesStatistics) {
  const char* const name = "shufflenet_v2_x0_5";
  torch::manual_seed(4);
  const auto model = make(name);
  torch::manual_seed(4);
  const auto reference = make(name);
  const auto images = torch::randn({7, 3, 64, 64});
  const auto labels = torch::arange(7);

  // torch.nn.DataParallel by hand: one graph over the chunks, whose gradients are added in the shared parameters.
  const auto first = reference->forward(images.narrow(0, 0, 4));
  std::vector<torch::Tensor> kept;
  for (const auto& buffer : reference->buffers()) kept.push_back(buffer.clone());
  const auto second = reference->forward(images.narrow(0, 4, 3));
  torch::nn::functional::cross_entropy(torch::cat({first, second}), labels).backward();

  auto replicas = replicas_of(name, model, 2);
  step(replicas, *model, images, labels);
  EXPECT_LT(largest_difference(take_gradients(*model), take_gradients(*reference)), 1e-5);
  const auto buffers = model->buffers();
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_TRUE(torch::allclose(buffers[i], kept[i], 1e-5, 1e-6)) << "buffer " << i;
}

TEST(Replicas, RepeatWhatDropoutDrew) {
  torch::manual_seed(5);
  const auto model = make("squeezenet1_1");
  const auto images = torch::randn({6, 3, 64, 64});
  auto replicas = replicas_of("squeezenet1_1", model, 3);
  std::vector<torch::Tensor> answers;
  for (int round = 0; round < 4; ++round) {
    torch::manual_seed(round % 2);
    answers.push_back(replicas.forward(images).logits);
  }
  EXPECT_TRUE(torch::equal(answers[0], answers[2]));
  EXPECT_TRUE(torch::equal(answers[1], answers[3]));
  EXPECT_FALSE(torch::equal(answers[0], answers[1]));
}

TEST(Replicas, LeaveLibtorchsGeneratorAndThreadsAlone) {
  torch::manual_seed(6);
  const auto model = make("squeezenet1_1");
  const auto expected = torch::rand({4});
  torch::manual_seed(6);
  const auto again = make("squeezenet1_1");
  const int threads = at::get_num_threads();
  auto replicas = replicas_of("squeezenet1_1", again, 2);
  EXPECT_EQ(at::get_num_threads(), threads);
  EXPECT_TRUE(torch::equal(torch::rand({4}), expected));
}

TEST(Replicas, TakeAnyBatchAndPassOnWhatOneThrows) {
  torch::manual_seed(7);
  const auto model = make("squeezenet1_1");
  auto replicas = replicas_of("squeezenet1_1", model, 3);
  step(replicas, *model, torch::randn({2, 3, 64, 64}), torch::arange(2));
  EXPECT_EQ(replicas.used(), 2U) << "no image for the third";
  EXPECT_THROW(replicas.forward(torch::randn({6, 5, 64, 64})), c10::Error);
  step(replicas, *model, torch::randn({6, 3, 64, 64}), torch::arange(6));
  EXPECT_EQ(replicas.used(), 3U);
}

}  // namespace
}  // namespace ringlab
