// Batch norm over ranks with batches of different sizes against one process with all pictures.
#include <gtest/gtest.h>
#include <torch/nn/functional/activation.h>
#include <torch/utils.h>

#include <mutex>

#include "models/batch_norm.h"
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

/// The same weights on every call, those of the norms not 1 and 0.
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

/// Each picture with a brightness of its own: the ranks' means differ.
torch::Tensor pictures() {
  const auto brightness = torch::arange(9, torch::kFloat).view({9, 1, 1, 1}) * 0.3;
  return torch::sin(torch::arange(9 * 3 * 8 * 8, torch::kFloat) * 0.37).view({9, 3, 8, 8}) * 2 + brightness;
}

/// Not symmetric in the pictures: each has a gradient of its own.
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

Result run(Net& net, const torch::Tensor& pictures_, int64_t first) {
  auto input = pictures_.clone().set_requires_grad(true);
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
  const auto all = pictures();
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
  expect_near(torch::cat({results[0].input_gradient, results[1].input_gradient, results[2].input_gradient}), whole.input_gradient, "gradient of the pictures");
  for (size_t i = 0; i < whole.gradients.size(); ++i) {
    // The whole loss is the sum of the ranks'.
    expect_near(results[0].gradients[i] + results[1].gradients[i] + results[2].gradients[i], whole.gradients[i], "gradient " + std::to_string(i));
  }
  for (const auto& result : results) {
    for (size_t i = 0; i < whole.buffers.size(); ++i) expect_near(result.buffers[i], whole.buffers[i], "buffer " + std::to_string(i));
  }
  // And it is not what each rank has alone.
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
  EXPECT_TRUE(torch::equal(net->forward(pictures()), plain->forward(pictures())));
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
  auto mine = pictures().to(torch::kBFloat16).set_requires_grad(true);
  auto theirs = pictures().to(torch::kBFloat16).to(torch::kFloat).set_requires_grad(true);
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

}  // namespace
}  // namespace ringlab
