// Batch norm over ranks with batches of different sizes, compared with one process with all images.
#include <gtest/gtest.h>
#include <torch/nn/functional/activation.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>

#include "models/layers/batch_norm.h"
#include "models/layers/norm_gradients.h"
#include "models/layers/norm_kernels.h"
#include "models/layers/training_norm.h"
#include "rank_threads.h"

namespace ringlab {
namespace {

namespace nn = torch::nn;

struct Net : nn::Module {
  Net() : conv(register_module("conv", nn::Conv2d(nn::Conv2dOptions(3, 6, 3)))), first(register_module("first", BatchNorm2d(6))),
          next(register_module("next", nn::Conv2d(nn::Conv2dOptions(6, 5, 3)))), second(register_module("second", BatchNorm2d(nn::BatchNorm2dOptions(5).eps(0.001).momentum(0.3)))) {}
  torch::Tensor forward(const torch::Tensor& x) { return second(next(torch::relu(first(conv(x))))); }
  nn::Conv2d conv;
  BatchNorm2d first;
  nn::Conv2d next;
  BatchNorm2d second;
};

/// The same weights on every call; those of the norms differ from 1 and 0.
std::shared_ptr<Net> make_net() {
  auto net = std::make_shared<Net>();
  const torch::NoGradGuard no_grad;
  double number = 0;
  for (auto& item : net->named_parameters()) {
    const auto count = torch::arange(item.value().numel(), torch::kFloat);
    item.value().copy_((torch::sin(count * 1.7 + ++number) * 0.5 + (item.key().find("weight") != std::string::npos ? 0.2 : 0)).view_as(item.value()));
  }
  return net;
}

/// Each image with its own brightness: the ranks' means differ.
torch::Tensor images() {
  const auto brightness = torch::arange(9, torch::kFloat).view({9, 1, 1, 1}) * 0.3;
  return torch::sin(torch::arange(9 * 3 * 8 * 8, torch::kFloat) * 0.37).view({9, 3, 8, 8}) * 2 + brightness;
}

/// Not symmetric in the images: each has a different gradient.
torch::Tensor loss_of(const torch::Tensor& outputs, int64_t first) {
  const auto weights = torch::cos((torch::arange(outputs.numel(), outputs.options()) + first * outputs[0].numel()) * 0.11).view_as(outputs);
  return (outputs * weights).sum() + (outputs * outputs * weights).sum() * 0.3;
}

struct Result {
  torch::Tensor outputs;
  torch::Tensor input_gradient;
  std::vector<torch::Tensor> gradients;
  std::vector<torch::Tensor> buffers;
};

Result run(Net& net, const torch::Tensor& images_, int64_t first) {
  auto input = images_.clone().set_requires_grad(true);
  Result result;
  result.outputs = net.forward(input);
  loss_of(result.outputs, first).backward();
  result.input_gradient = input.grad();
  for (const auto& parameter : net.parameters()) result.gradients.push_back(parameter.grad().clone());
  for (const auto& buffer : net.buffers()) result.buffers.push_back(buffer.clone());
  return result;
}

void expect_near(const torch::Tensor& ours, const torch::Tensor& theirs, const std::string& what) {
  const double scale = std::max(1.0, theirs.abs().max().item<double>());
  EXPECT_LT((ours.to(torch::kDouble) - theirs).abs().max().item<double>(), 1e-5 * scale) << what;
}

TEST(SyncBatchNorm, IsOneBatchOverAllRanks) {
  const int64_t sizes[] = {2, 4, 3};
  const auto all = images();
  const auto whole_net = make_net();
  whole_net->to(torch::kDouble);
  const Result whole = run(*whole_net, all.to(torch::kDouble), 0);
  std::vector<Result> results(3);
  const auto complaints = as_ranks(3, [&](Communicator& communicator) {
    const auto net = make_net();
    const auto exchange = std::make_shared<StatisticsExchange>();
    exchange->gather = [&](const at::Tensor& row) { return communicator.all_gather(row); };
    exchange->sum = [&](at::Tensor row) { communicator.allreduce_sum(row); };
    EXPECT_EQ(synchronise_batch_norms(*net, exchange), 2);
    const int rank = communicator.rank();
    const int64_t first = rank == 0 ? 0 : rank == 1 ? 2 : 6;
    results[static_cast<size_t>(rank)] = run(*net, all.narrow(0, first, sizes[rank]), first);
  });
  for (const auto& complaint : complaints) ASSERT_EQ(complaint, "");
  expect_near(torch::cat({results[0].outputs, results[1].outputs, results[2].outputs}), whole.outputs, "outputs");
  expect_near(torch::cat({results[0].input_gradient, results[1].input_gradient, results[2].input_gradient}), whole.input_gradient, "gradient of the images");
  for (size_t i = 0; i < whole.gradients.size(); ++i) {
    // The total loss is the sum of the ranks'.
    expect_near(results[0].gradients[i] + results[1].gradients[i] + results[2].gradients[i], whole.gradients[i], "gradient " + std::to_string(i));
  }
  for (const auto& result : results) {
    for (size_t i = 0; i < whole.buffers.size(); ++i) expect_near(result.buffers[i], whole.buffers[i], "buffer " + std::to_string(i));
  }
  // And it differs from each rank's local result.
  const auto alone = make_net();
  EXPECT_GT((run(*alone, all.narrow(0, 0, 2), 0).outputs - whole.outputs.narrow(0, 0, 2)).abs().max().item<double>(), 0.01);
}

TEST(SyncBatchNorm, EvaluatesWithoutAnyone) {
  const auto net = make_net();
  const auto exchange = std::make_shared<StatisticsExchange>();  // calling either would throw
  synchronise_batch_norms(*net, exchange);
  const auto plain = make_net();
  net->eval();
  plain->eval();
  const torch::NoGradGuard no_grad;
  EXPECT_TRUE(torch::equal(net->forward(images()), plain->forward(images())));
}

TEST(SyncBatchNorm, TakesHalfTheBitsAndFrozenWeights) {
  const auto exchange = std::make_shared<StatisticsExchange>();
  exchange->gather = [](const at::Tensor& row) { return std::vector<at::Tensor>{row}; };
  exchange->sum = [](at::Tensor) {};
  BatchNorm2d ours(3), plain(3);
  synchronise_batch_norms(*ours, exchange);
  for (auto* norm : {&ours, &plain}) {
    for (auto& parameter : (*norm)->parameters()) parameter.set_requires_grad(false);
  }
  auto mine = images().to(torch::kBFloat16).set_requires_grad(true);
  auto theirs = images().to(torch::kBFloat16).to(torch::kFloat).set_requires_grad(true);
  const auto output = ours->forward(mine);
  EXPECT_EQ(output.scalar_type(), torch::kBFloat16);
  const auto expected = plain->forward(theirs);
  EXPECT_LT((output.to(torch::kFloat) - expected).abs().max().item<double>(), 0.02);
  loss_of(output.to(torch::kFloat), 0).backward();
  loss_of(expected, 0).backward();
  EXPECT_EQ(mine.grad().scalar_type(), torch::kBFloat16);
  EXPECT_LT((mine.grad().to(torch::kFloat) - theirs.grad()).abs().max().item<double>(), 0.03);
  EXPECT_FALSE(ours->weight.grad().defined());
}

/// One step of libtorch's and of ours from the same state: every bit of output, gradients and running statistics.
void expect_libtorchs(const torch::Tensor& input, double momentum, double eps) {
  const int64_t channels = input.size(1);
  struct Side {
    torch::Tensor input, weight, bias, mean, variance, output;
  };
  const auto make = [&] {
    Side side;
    side.input = input.clone().set_requires_grad(true);
    side.weight = (torch::sin(torch::arange(channels, torch::kFloat) * 1.3) + 0.1).set_requires_grad(true);
    side.bias = torch::cos(torch::arange(channels, torch::kFloat) * 0.7).set_requires_grad(true);
    side.mean = torch::sin(torch::arange(channels, torch::kFloat));
    side.variance = torch::cos(torch::arange(channels, torch::kFloat)).abs();
    return side;
  };
  Side theirs = make();
  Side ours = make();
  theirs.output = nn::functional::detail::batch_norm(theirs.input, theirs.mean, theirs.variance, theirs.weight, theirs.bias, true, momentum, eps);
  const NormState state{ours.weight, ours.bias, ours.mean, ours.variance, momentum, eps};
  ASSERT_TRUE(can_train_norm(ours.input, state)) << "this libtorch computes in another way: what is tested here is not used";
  ours.output = training_norm(ours.input, state);
  for (Side* side : {&theirs, &ours}) {
    // As in a network: followed by an in-place operation.
    side->output = side->output.relu_();
    loss_of(side->output, 0).backward();
  }
  const auto same = [](const torch::Tensor& a, const torch::Tensor& b) { return a.sizes() == b.sizes() && a.strides() == b.strides() && std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0; };
  EXPECT_TRUE(same(theirs.output, ours.output)) << input.sizes();
  EXPECT_TRUE(same(theirs.mean, ours.mean)) << input.sizes();
  EXPECT_TRUE(same(theirs.variance, ours.variance)) << input.sizes();
  EXPECT_TRUE(same(theirs.input.grad(), ours.input.grad())) << input.sizes();
  EXPECT_TRUE(same(theirs.weight.grad(), ours.weight.grad())) << input.sizes();
  EXPECT_TRUE(same(theirs.bias.grad(), ours.bias.grad())) << input.sizes();
}

TEST(TrainingNorm, IsLibtorchsToTheBit) {
  if (!has_norm_kernels()) GTEST_SKIP() << "no AVX2 here";
  torch::manual_seed(7);
  for (const auto& sizes : std::vector<std::vector<int64_t>>{{4, 64, 16, 16}, {32, 8, 2, 1}, {3, 2, 5, 5}, {2, 13, 7, 7}, {5, 17, 3, 2}, {1, 9, 4, 1}, {2, 24, 14, 14}, {7, 33, 1, 9}}) {
    expect_libtorchs(torch::randn(sizes) * 3 + 1.5, 0.1, 1e-5);
    expect_libtorchs(torch::randn(sizes) * 1e-3 + 100, 0.3, 1e-3);
  }
  // All pixels equal, zeros of both signs, the largest and the smallest numbers, and NaN.
  expect_libtorchs(torch::full({3, 9, 4, 4}, 0.1), 0.1, 1e-5);
  expect_libtorchs(torch::zeros({3, 9, 4, 4}) * -1, 0.1, 1e-5);
  expect_libtorchs(torch::randn({3, 9, 4, 4}) * 1e18, 0.1, 1e-5);
  expect_libtorchs(torch::randn({3, 9, 4, 4}) * 1e-38, 0.1, 0);
  const int threads = at::get_num_threads();
  at::set_num_threads(3);
  expect_libtorchs(torch::randn({6, 35, 9, 9}), 0.1, 1e-5);
  at::set_num_threads(threads);
}

/// The loops themselves: if they differed, training_norm() would use libtorch's and no other test would notice.
TEST(TrainingNorm, ItsLoopsGiveLibtorchsGradientsInOneOfTheWaysOfRounding) {
  if (!has_norm_kernels()) GTEST_SKIP() << "no AVX2 here";
  torch::manual_seed(11);
  const auto equal_everywhere = [](const GradientRounding& rounding) {
    for (const auto& sizes : std::vector<std::vector<int64_t>>{{4, 24, 16, 16}, {32, 17, 2, 2}, {3, 2, 5, 5}, {2, 13, 7, 7}, {1, 9, 4, 1}, {7, 33, 1, 9}, {40, 3, 32, 33}}) {
      const int64_t channels = sizes[1];
      const auto input = torch::randn(sizes) * 2 + 1;
      const auto gradient = torch::randn(sizes);
      const auto weight = torch::randn(channels);
      const auto mean = torch::randn(channels);
      const auto inverse = torch::rand(channels) + 0.5;
      const auto [of_input, of_weight, of_bias] = torch::native_batch_norm_backward(gradient, input, weight, {}, {}, mean, inverse, true, 1e-5, {true, true, true});
      const auto own_input = torch::empty_like(input);
      const auto own_weight = torch::empty(channels);
      const auto own_bias = torch::empty(channels);
      const PlaneShape shape{sizes[0], channels, sizes[2] * sizes[3]};
      norm_gradients(input.data_ptr<float>(), gradient.data_ptr<float>(), shape, 0, channels, {mean.data_ptr<float>(), inverse.data_ptr<float>(), weight.data_ptr<float>()}, rounding,
                     {own_input.data_ptr<float>(), own_weight.data_ptr<float>(), own_bias.data_ptr<float>()});
      if (!torch::equal(of_input, own_input) || !torch::equal(of_weight, own_weight) || !torch::equal(of_bias, own_bias)) return false;
    }
    return true;
  };
  EXPECT_TRUE(equal_everywhere({true, true}) || equal_everywhere({true, false}) || equal_everywhere({false, true}) || equal_everywhere({false, false}));
}

TEST(TrainingNorm, GivesTheGradientsThatAreAskedFor) {
  if (!has_norm_kernels()) GTEST_SKIP() << "no AVX2 here";
  torch::manual_seed(13);
  for (int asked = 1; asked < 8; ++asked) {
    // The last one: a mean's gradient, which is not contiguous.
    for (const bool expanded : {false, true}) {
      const auto input = torch::randn({3, 11, 6, 5});
      const auto weight = torch::randn(11);
      std::vector<torch::Tensor> found[2];
      for (const bool ours : {false, true}) {
        const auto x = input.clone().set_requires_grad((asked & 1) != 0);
        const auto w = weight.clone().set_requires_grad((asked & 2) != 0);
        const auto b = torch::zeros(11).set_requires_grad((asked & 4) != 0);
        const auto mean = torch::zeros(11);
        const auto variance = torch::ones(11);
        const auto output = ours ? training_norm(x, {w, b, mean, variance, 0.1, 1e-5}) : nn::functional::detail::batch_norm(x, mean, variance, w, b, true, 0.1, 1e-5);
        // Twice, as with --accumulate: gradients are added.
        for (int pass = 0; pass < 2; ++pass) (expanded ? output.mean() : loss_of(output, 0)).backward({}, /*retain_graph=*/true);
        for (const auto& tensor : {x, w, b}) found[ours ? 1 : 0].push_back(tensor.grad());
      }
      for (size_t i = 0; i < 3; ++i) {
        ASSERT_EQ(found[0][i].defined(), found[1][i].defined());
        EXPECT_TRUE(!found[0][i].defined() || torch::equal(found[0][i], found[1][i])) << asked << " " << expanded << " " << i;
      }
    }
  }
}

TEST(TrainingNorm, LeavesToLibtorchWhatItsLoopsAreNotFor) {
  const NormState state{torch::ones(4), torch::zeros(4), torch::zeros(4), torch::ones(4), 0.1, 1e-5};
  EXPECT_FALSE(can_train_norm(torch::randn({2, 4, 3, 3}, torch::kDouble), state));
  EXPECT_FALSE(can_train_norm(torch::randn({2, 4, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast), state));
  EXPECT_FALSE(can_train_norm(torch::randn({2, 4, 6, 3}).slice(2, 0, 6, 2), state));
  // Maps of one pixel are in both memory formats, and libtorch uses the other one.
  EXPECT_FALSE(can_train_norm(torch::randn({3, 4, 1, 1}), state));
}

}  // namespace
}  // namespace ringlab
