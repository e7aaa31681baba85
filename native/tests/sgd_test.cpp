// Stochastic gradient descent compared with libtorch's operations, bit for bit.
#include <gtest/gtest.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/utils.h>

#include <cstdint>

#include "optim/sgd.h"
#include "optim/sgd_kernel.h"

namespace ringlab {
namespace {

/// torch.optim.SGD's operations on whole tensors.
void expected_step(at::Tensor& parameter, const at::Tensor& gradient, at::Tensor& momentum, const SgdSettings& settings, double lr) {
  at::Tensor direction = settings.weight_decay == 0 ? gradient : gradient.add(parameter, settings.weight_decay);
  if (settings.momentum != 0) {
    momentum = momentum.defined() ? momentum.mul_(settings.momentum).add_(direction) : direction.clone();
    direction = momentum;
  }
  parameter.add_(direction, -lr);
}

void expect_libtorchs(const SgdSettings& settings) {
  torch::manual_seed(5);
  // More than a piece, fewer than a vector, channels-last, every second element, a single one.
  std::vector<at::Tensor> starts{at::randn({70001}), at::randn({3}), at::randn({8, 5, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast), at::randn({20}).slice(0, 0, 20, 2), at::randn({})};
  std::vector<at::Tensor> ours;
  std::vector<at::Tensor> expected;
  std::vector<at::Tensor> momenta(starts.size());
  for (const auto& start : starts) {
    // A view keeps its gaps.
    ours.push_back((start.is_non_overlapping_and_dense() ? start.clone() : start).set_requires_grad(true));
    expected.push_back(start.detach().clone());
  }
  Sgd sgd(ours, settings);
  for (int number = 0; number < 4; ++number) {
    const double lr = 0.1 / (number + 1);
    for (size_t i = 0; i < ours.size(); ++i) {
      const at::Tensor gradient = at::randn_like(expected[i]);
      // In one step the second has none, and the third's has the other memory format.
      ours[i].mutable_grad() = i == 1 && number == 2 ? at::Tensor() : i == 2 && number == 3 ? gradient.contiguous() : gradient.clone();
      if (ours[i].grad().defined()) expected_step(expected[i], gradient, momenta[i], settings, lr);
    }
    sgd.step(lr);
    for (size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(ours[i].detach().equal(expected[i])) << "parameter " << i << ", step " << number;
  }
}

TEST(Sgd, IsLibtorchsOperationsToTheBit) {
  for (const double momentum : {0.0, 0.9}) {
    for (const double decay : {0.0, 1e-4}) expect_libtorchs({momentum, decay});
  }
  const int threads = at::get_num_threads();
  at::set_num_threads(3);
  expect_libtorchs({0.9, 1e-4});
  at::set_num_threads(threads);
}

/// Sgd uses libtorch's operations if its own pass gives other bits: this tests that pass itself.
TEST(Sgd, ItsOwnPassGivesLibtorchsBits) {
  if (!has_sgd_kernel()) GTEST_SKIP() << "no AVX2 here";
  torch::manual_seed(6);
  for (const int64_t count : {1, 7, 8, 4099}) {
    const at::Tensor gradient = at::randn({count});
    at::Tensor expected = at::randn({count});
    at::Tensor momentum = at::randn({count});
    const at::Tensor own = expected.clone();
    const at::Tensor own_momentum = momentum.clone();
    expected_step(expected, gradient, momentum, {0.9, 1e-4}, 0.03);
    sgd_step(own.data_ptr<float>(), gradient.data_ptr<float>(), own_momentum.data_ptr<float>(), count, {1e-4F, 0.9F, -0.03F, false});
    EXPECT_TRUE(own.equal(expected)) << count;
    EXPECT_TRUE(own_momentum.equal(momentum)) << count;
  }
}

}  // namespace
}  // namespace ringlab
