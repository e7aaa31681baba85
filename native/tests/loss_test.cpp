// The training loss: label smoothing and auxiliary heads.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "models/loss.h"

namespace ringlab {
namespace {

class Heads : public Classifier {
 public:
  torch::Tensor forward(torch::Tensor images) override { return images; }
  double auxiliary_weight() const override { return 0.3; }
};

TEST(Loss, SpreadsTheShareOfALabelOverAllClasses) {
  const Heads model;
  const at::Tensor logits = at::tensor({1.0F, 2.0F, 0.5F, -1.0F, 0.0F, 3.0F}).view({2, 3});
  const at::Tensor labels = at::tensor({1, 2}, at::kLong);
  const at::Tensor logs = at::log_softmax(logits, 1);
  const double plain = -(logs[0][1] + logs[1][2]).item<double>() / 2;
  const double spread = -logs.mean().item<double>();
  EXPECT_NEAR(losses_of(model, {logits, {}}, labels).own.item<double>(), plain, 1e-6);
  EXPECT_NEAR(losses_of(model, {logits, {}}, labels, 0.1).own.item<double>(), 0.9 * plain + 0.1 * spread, 1e-6);
}

TEST(Loss, CountsAuxiliaryHeadsInTheObjectiveAlone) {
  const Heads model;
  const at::Tensor logits = at::tensor({1.0F, 2.0F}).view({1, 2});
  const at::Tensor head = at::tensor({0.0F, 1.0F}).view({1, 2});
  const at::Tensor labels = at::tensor({0}, at::kLong);
  const double own = losses_of(model, {logits, {}}, labels).own.item<double>();
  const double other = losses_of(model, {head, {}}, labels).own.item<double>();
  const Losses both = losses_of(model, {logits, {head, head}}, labels);
  EXPECT_NEAR(both.own.item<double>(), own, 1e-6);
  EXPECT_NEAR(both.objective.item<double>(), own + 0.3 * 2 * other, 1e-6);
}

}  // namespace
}  // namespace ringlab
