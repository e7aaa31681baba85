#include "optim/gradient_scaler.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace ringlab {
namespace {

const Value& entry(const Value& state, const char* name) {
  const Value* value = state.find(name);
  if (value == nullptr) throw std::runtime_error(std::string("its scaler has no ") + name);
  return *value;
}

}  // namespace

bool GradientScaler::unscale(const std::vector<at::Tensor>& parameters) {
  const c10::AutoGradMode no_grad(false);
  std::vector<at::Tensor> gradients;
  for (const auto& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad().detach());
  }
  // As in Python: by the reciprocal, rounded to a float once.
  const auto inverse = static_cast<float>(1.0 / scale_);
  if (gradients.empty()) {
    finite_ = true;
  } else if (gradients.front().is_cuda()) {
    at::Tensor found = at::zeros({1}, gradients.front().options());
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found, at::full({1}, inverse, gradients.front().options()));
    finite_ = found.item<float>() == 0;
  } else {
    // libtorch has that operation for the CPU only since 2.3.
    finite_ = true;
    for (auto& gradient : gradients) {
      gradient.mul_(static_cast<double>(inverse));
      finite_ = finite_ && std::isfinite(gradient.abs().max().item<float>());
    }
  }
  return finite_;
}

void GradientScaler::update() {
  if (!finite_) {
    scale_ *= backoff_factor_;
    good_steps_ = 0;
    return;
  }
  if (++good_steps_ < growth_interval_) return;
  const auto grown = static_cast<float>(scale_ * growth_factor_);
  if (std::isfinite(grown)) scale_ = grown;
  good_steps_ = 0;
}

Value GradientScaler::state_dict() const {
  return Value::dict()
      .set("scale", Value::real(scale_))
      .set("growth_factor", Value::real(growth_factor_))
      .set("backoff_factor", Value::real(backoff_factor_))
      .set("growth_interval", Value::integer(growth_interval_))
      .set("_growth_tracker", Value::integer(good_steps_));
}

void GradientScaler::load_state_dict(const Value& state) {
  // In Python, the state of a disabled scaler is empty.
  if (state.is_dict() && state.entries().empty()) return;
  const double scale = entry(state, "scale").as_real();
  const double growth = entry(state, "growth_factor").as_real();
  const double backoff = entry(state, "backoff_factor").as_real();
  const int64_t interval = entry(state, "growth_interval").as_integer();
  const int64_t good_steps = entry(state, "_growth_tracker").as_integer();
  if (!(scale > 0) || !std::isfinite(scale)) throw std::runtime_error("its scaler's scale is not a positive number");
  scale_ = scale;
  growth_factor_ = growth;
  backoff_factor_ = backoff;
  growth_interval_ = interval;
  good_steps_ = good_steps;
}

}  // namespace ringlab
