// The state of random generators in a checkpoint.
#include "checkpoint/generators.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/temporary_folder.h"
#include "values/tensor_values.h"
#include "values/value_file.h"

namespace ringlab {
namespace {

/// Draws as dropout does: an odd number of normal values leaves half a pair in the generator, which is part of its
/// state.
at::Tensor draw() { return at::cat({at::rand({100}), at::randn({3}), at::bernoulli(at::full({17}, 0.5))}); }

TEST(Generators, GoOnThroughAFileAsIfTheyHadNotStopped) {
  const TemporaryFolder folder;
  at::manual_seed(7);
  draw();
  write_value(folder / "generators.pth", generator_states(at::kCPU));
  const at::Tensor expected = draw();
  EXPECT_FALSE(draw().equal(expected)) << "the test draws something";
  restore_generators(read_value(folder / "generators.pth"), at::kCPU);
  EXPECT_TRUE(draw().equal(expected));
}

TEST(Generators, RefuseAStateOfAnotherSizeAndStayAsTheyWere) {
  at::manual_seed(7);
  const Value before = generator_states(at::kCPU);
  const at::Tensor expected = draw();
  restore_generators(before, at::kCPU);
  for (const auto& wrong : {at::zeros({16}, at::kByte), at::zeros({5056}, at::kFloat)}) {
    EXPECT_THROW(restore_generators(Value::dict().set("cpu", value_of(wrong)), at::kCPU), std::runtime_error);
  }
  EXPECT_TRUE(draw().equal(expected));
  restore_generators(Value::dict(), at::kCPU);  // a file of Python has none
}

}  // namespace
}  // namespace ringlab
