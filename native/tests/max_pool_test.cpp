// Max pooling compared with libtorch's, bit for bit.
#include <gtest/gtest.h>
#include <torch/utils.h>
#include <ATen/Functions.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "models/layers/max_pool.h"

namespace ringlab {
namespace {

void expect_libtorchs(const at::Tensor& values, const PoolWindow& window) {
  const at::Tensor theirs = values.clone().set_requires_grad(true);
  const at::Tensor ours = values.clone().set_requires_grad(true);
  const at::Tensor expected = at::max_pool2d(theirs, window.kernel, window.stride, window.padding);
  const at::Tensor got = max_pool(ours, window);
  ASSERT_EQ(expected.sizes(), got.sizes());
  const at::Tensor weights = at::cos(at::arange(expected.numel(), at::kFloat)).view_as(expected);
  (expected.nan_to_num(0, 1, -1) * weights).sum().backward();
  (got.nan_to_num(0, 1, -1) * weights).sum().backward();
  EXPECT_EQ(std::memcmp(expected.data_ptr(), got.data_ptr(), expected.nbytes()), 0) << values.sizes();
  EXPECT_EQ(std::memcmp(theirs.grad().data_ptr(), ours.grad().data_ptr(), theirs.grad().nbytes()), 0) << values.sizes();
}

TEST(MaxPool, IsLibtorchsToTheBit) {
  torch::manual_seed(3);
  const PoolWindow resnet{3, 2, 1};
  for (const auto& window : {resnet, PoolWindow{2, 2, 0}, PoolWindow{3, 2, 0}, PoolWindow{3, 1, 1}, PoolWindow{5, 3, 2}}) {
    for (const auto& sizes : std::vector<std::vector<int64_t>>{{2, 5, 16, 16}, {3, 4, 7, 9}, {1, 1, 5, 5}, {2, 3, 11, 6}}) {
      expect_libtorchs(at::randn(sizes), window);
      // As after ReLU: many zeros, of which the first counts.
      expect_libtorchs(at::randn(sizes).relu(), window);
      at::Tensor odd = at::randn(sizes);
      odd.flatten()[3] = std::nanf("");
      odd.flatten()[5] = std::numeric_limits<float>::infinity();
      odd.flatten()[6] = -std::numeric_limits<float>::infinity();
      odd.flatten()[7] = std::nanf("");
      expect_libtorchs(odd, window);
      expect_libtorchs(at::full(sizes, -std::numeric_limits<float>::infinity()), window);
    }
  }
  expect_libtorchs(at::randn({2, 3, 1, 1}), resnet);
}

TEST(MaxPool, OtherTypesAndOrdersAreLibtorchsOwn) {
  const at::Tensor input = at::randn({2, 4, 8, 8});
  const PoolWindow window{3, 2, 1};
  EXPECT_TRUE(max_pool(input.to(at::kDouble), window).equal(at::max_pool2d(input.to(at::kDouble), 3, 2, 1)));
  const at::Tensor last = input.contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_TRUE(max_pool(last, window).is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(max_pool(last, window).equal(max_pool(input, window)));
}

}  // namespace
}  // namespace ringlab
