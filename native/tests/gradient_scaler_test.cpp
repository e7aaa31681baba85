// The gradient scaler compared with torch.cuda.amp.GradScaler, whose arithmetic needs no GPU.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "optim/gradient_scaler.h"

namespace ringlab {
namespace {

std::vector<at::Tensor> with_gradients(std::vector<at::Tensor> gradients) {
  std::vector<at::Tensor> parameters;
  for (auto& gradient : gradients) {
    parameters.push_back(at::zeros_like(gradient).set_requires_grad(true));
    parameters.back().mutable_grad() = std::move(gradient);
  }
  // A parameter that does not affect the loss.
  parameters.push_back(at::zeros({2}).set_requires_grad(true));
  return parameters;
}

TEST(GradientScaler, ScalesTheLossAndGivesTheGradientsBack) {
  GradientScaler scaler;
  EXPECT_EQ(scaler.factor(), 65536);
  EXPECT_EQ(scaler.scale(at::full({}, 0.5F)).item<float>(), 32768);
  const auto parameters = with_gradients({at::tensor({65536.0F, -32768.0F}), at::full({2, 2}, 6553.6F)});
  EXPECT_TRUE(scaler.unscale(parameters));
  EXPECT_TRUE(at::equal(parameters[0].grad(), at::tensor({1.0F, -0.5F})));
  EXPECT_TRUE(at::equal(parameters[1].grad(), at::full({2, 2}, 6553.6F * (1.0F / 65536))));
  EXPECT_FALSE(parameters[2].grad().defined());
}

TEST(GradientScaler, HalvesAfterWhatIsNotFinite) {
  GradientScaler scaler;
  for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), std::nanf("")}) {
    const double before = scaler.factor();
    EXPECT_FALSE(scaler.unscale(with_gradients({at::ones({3}), at::tensor({1.0F, bad, 2.0F})})));
    EXPECT_EQ(scaler.factor(), before) << "not before update()";
    scaler.update();
    EXPECT_EQ(scaler.factor(), before / 2);
  }
}

TEST(GradientScaler, DoublesAfterTwoThousandGoodStepsInARow) {
  GradientScaler scaler;
  const auto step = [&](float value) {
    scaler.unscale(with_gradients({at::full({1}, value)}));
    scaler.update();
  };
  for (int i = 0; i < 1999; ++i) step(1);
  EXPECT_EQ(scaler.factor(), 65536);
  step(std::numeric_limits<float>::infinity());
  EXPECT_EQ(scaler.factor(), 32768) << "the row is broken";
  for (int i = 0; i < 1999; ++i) step(1);
  EXPECT_EQ(scaler.factor(), 32768);
  step(1);
  EXPECT_EQ(scaler.factor(), 65536);
  step(1);
  EXPECT_EQ(scaler.factor(), 65536) << "the next row starts from zero";
}

TEST(GradientScaler, GoesOnFromItsState) {
  GradientScaler scaler;
  scaler.unscale(with_gradients({at::full({1}, std::nanf(""))}));
  scaler.update();
  for (int i = 0; i < 3; ++i) {
    scaler.unscale(with_gradients({at::ones({1})}));
    scaler.update();
  }
  const Value state = scaler.state_dict();
  EXPECT_EQ(state.find("scale")->as_real(), 32768);
  EXPECT_EQ(state.find("growth_factor")->as_real(), 2);
  EXPECT_EQ(state.find("backoff_factor")->as_real(), 0.5);
  EXPECT_EQ(state.find("growth_interval")->as_integer(), 2000);
  EXPECT_EQ(state.find("_growth_tracker")->as_integer(), 3);
  GradientScaler other;
  other.load_state_dict(state);
  for (int i = 0; i < 1997; ++i) {
    EXPECT_EQ(other.factor(), 32768);
    other.unscale(with_gradients({at::ones({1})}));
    other.update();
  }
  EXPECT_EQ(other.factor(), 65536);

  EXPECT_THROW(other.load_state_dict(Value::dict().set("scale", Value::real(4))), std::runtime_error);
  Value broken = Value::dict();
  for (const auto& [name, value] : state.entries()) broken.set(name.as_text(), name.as_text() == "scale" ? Value::real(std::nan("")) : value);
  EXPECT_THROW(other.load_state_dict(broken), std::runtime_error);
  EXPECT_EQ(other.factor(), 65536) << "nothing was changed";
  other.load_state_dict(Value::dict());
  EXPECT_EQ(other.factor(), 65536);
}

}  // namespace
}  // namespace ringlab
