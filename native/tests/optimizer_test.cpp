// Common to all optimizers: parameters without a gradient are unchanged, and a state is loaded only into the same kind.
#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "optim/adam.h"
#include "optim/sgd.h"

namespace ringlab {
namespace {

/// The first has a gradient of ones, the second has none.
std::vector<at::Tensor> two_parameters() {
  std::vector<at::Tensor> parameters = {at::zeros({3}).set_requires_grad(true), at::zeros({2}).set_requires_grad(true)};
  parameters[0].mutable_grad() = at::ones({3});
  return parameters;
}

std::unique_ptr<Optimizer> optimizer_of(const std::string& kind) {
  if (kind == "SGD") return std::make_unique<Sgd>(two_parameters(), SgdSettings{});
  return std::make_unique<Adam>(two_parameters(), AdamSettings{});
}

TEST(Optimizer, LoadsItsOwnKindsStateAndRefusesTheOthers) {
  for (const auto& [kind, other] : {std::pair<std::string, std::string>{"SGD", "Adam"}, {"Adam", "SGD"}}) {
    const auto trained = optimizer_of(kind);
    trained->step(0.5);
    EXPECT_FALSE(at::equal(trained->parameters()[0].detach(), at::zeros({3}))) << kind;
    EXPECT_TRUE(at::equal(trained->parameters()[1].detach(), at::zeros({2}))) << kind << ": no gradient, no change";
    const Value state = trained->state_dict(0.5, 0.5);
    EXPECT_EQ(state.find("state")->entries().size(), 1U);

    const auto resumed = optimizer_of(kind);
    resumed->load_state_dict(state);
    resumed->parameters()[0].detach().copy_(trained->parameters()[0].detach());
    trained->step(0.5);
    resumed->step(0.5);
    EXPECT_TRUE(at::equal(resumed->parameters()[0].detach(), trained->parameters()[0].detach())) << kind;

    const auto unlike = optimizer_of(other);
    try {
      unlike->load_state_dict(state);
      ADD_FAILURE() << other << " took a state of " << kind;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("its optimizer is not " + other + ": it has a ", 0), 0U) << error.what();
    }
    unlike->step(0.5);  // as before loading
    const auto fresh = optimizer_of(other);
    fresh->step(0.5);
    EXPECT_TRUE(at::equal(unlike->parameters()[0].detach(), fresh->parameters()[0].detach()));
  }
}

TEST(Optimizer, NamesSettingsOfAFileThatItDoesNotTake) {
  const auto group_of = [](Value group) { return Value::dict().set("state", Value::dict()).set("param_groups", Value::list({Value::dict().set("lr", Value::real(7)), std::move(group)})); };
  using Others = std::vector<std::string>;
  const Sgd sgd(two_parameters(), SgdSettings{0.9, 1e-4});
  EXPECT_EQ(sgd.other_settings(sgd.state_dict(0.5, 0.5)), Others{});
  const Value theirs = Value::dict().set("momentum", Value::real(0.9)).set("dampening", Value::real(0)).set("weight_decay", Value::real(5e-4)).set("nesterov", Value::boolean(true));
  EXPECT_EQ(sgd.other_settings(group_of(theirs)), (Others{"nesterov True (here False)", "weight_decay 0.0005 (here 0.0001)"}));
  const Adam adam(two_parameters(), AdamSettings{});
  EXPECT_EQ(adam.other_settings(adam.state_dict(0.5, 0.5)), Others{});
  const Value betas = Value::tuple({Value::real(0.8), Value::real(0.95)});
  EXPECT_EQ(adam.other_settings(group_of(Value::dict().set("betas", betas).set("amsgrad", Value::boolean(true)))), (Others{"betas (0.8, 0.95) (here (0.9, 0.999))", "amsgrad True (here False)"}));
  // Of no form that can be compared.
  EXPECT_EQ(adam.other_settings(group_of(Value::dict().set("betas", Value::text("x")).set("eps", Value()).set("amsgrad", Value::list()))), Others{});
  EXPECT_EQ(adam.other_settings(Value::list()), Others{});
}

/// Steps as on a GPU.
template <typename Kind>
struct Together : Kind {
  using Kind::Kind;
  void step_together(double rate) {
    const c10::AutoGradMode no_grad(false);
    std::vector<size_t> indices;
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> gradients;
    for (size_t i = 0; i < this->parameters().size(); ++i) {
      if (!this->parameters()[i].grad().defined()) continue;
      indices.push_back(i);
      parameters.push_back(this->parameters()[i].detach());
      gradients.push_back(this->parameters()[i].grad().detach());
    }
    this->update_together(indices, parameters, gradients, rate);
  }
};

template <typename Kind, typename Settings>
void expect_equal_steps(const Settings& settings) {
  const auto numbers = [](int64_t count, double seed) { return (at::sin(at::arange(count, at::kDouble) * 12.9898 + seed) * 3.7).to(at::kFloat); };
  const auto parameters = [&] {
    return std::vector<at::Tensor>{numbers(300, 1).view({10, 30}).set_requires_grad(true), numbers(7, 2).set_requires_grad(true), numbers(40, 3).set_requires_grad(true)};
  };
  Kind one(parameters(), settings);
  Together<Kind> together(parameters(), settings);
  for (int step = 0; step < 4; ++step) {
    for (Optimizer* optimizer : {static_cast<Optimizer*>(&one), static_cast<Optimizer*>(&together)}) {
      for (size_t i = 0; i < 3; ++i) {
        // The last one is frozen at first, so that it has made fewer steps.
        at::Tensor parameter = optimizer->parameters()[i];
        if (i < 2 || step >= 2) parameter.mutable_grad() = numbers(parameter.numel(), 10.0 * step + static_cast<double>(i)).view_as(parameter);
      }
    }
    one.step(0.05);
    together.step_together(0.05);
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(at::equal(one.parameters()[i], together.parameters()[i])) << "step " << step << ", parameter " << i;
  }
}

TEST(Optimizer, StepsOverListsOfTensorsAreTheSame) {
  expect_equal_steps<Sgd>(SgdSettings{});
  expect_equal_steps<Sgd>(SgdSettings{0.9, 0});
  expect_equal_steps<Sgd>(SgdSettings{0, 1e-2});
  expect_equal_steps<Adam>(AdamSettings{});
  AdamSettings decoupled;
  decoupled.decoupled = true;
  decoupled.weight_decay = 0.01;
  expect_equal_steps<Adam>(decoupled);
}

}  // namespace
}  // namespace ringlab
