// Common to all optimizers: parameters without a gradient are unchanged, and a state is loaded only into the same kind.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ringlab
