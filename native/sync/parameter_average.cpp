#include "sync/parameter_average.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "comm/collectives/collective_thread.h"

namespace ringlab {

namespace {

constexpr const char* kSteps = "steps";

}  // namespace

NamedTensors::value_type ParameterAverage::steps_state(const std::vector<int64_t>& sent) const {
  std::vector<int64_t> steps{step_, landed_step_};
  steps.insert(steps.end(), sent.begin(), sent.end());
  return {kSteps, at::tensor(steps, at::kLong)};
}

void ParameterAverage::load_steps(const NamedTensors& state, std::vector<int64_t>& sent) {
  const auto saved = std::find_if(state.begin(), state.end(), [](const auto& item) { return item.first == kSteps; });
  if (saved == state.end()) return;
  const at::Tensor steps = saved->second.to(at::TensorOptions(at::kCPU).dtype(at::kLong)).contiguous();
  const int64_t* first = steps.data_ptr<int64_t>();
  if (steps.numel() != static_cast<int64_t>(2 + sent.size()) || std::any_of(first, first + steps.numel(), [](int64_t step) { return step < 0; })) {
    throw std::runtime_error("its numbers of steps are not of this mode");
  }
  step_ = first[0];
  landed_step_ = first[1];
  std::copy(first + 2, first + steps.numel(), sent.begin());
}

std::shared_future<void> ParameterAverage::start(std::function<void()> exchange) {
  clock_.begin(steady_seconds());
  return communicator_.thread().submit([this, exchange = std::move(exchange)] {
    exchange();
    clock_.end(steady_seconds());
  });
}

void ParameterAverage::wait(const std::shared_future<void>& exchange) {
  const double started = steady_seconds();
  if (exchange.valid()) exchange.get();
  waited_ += steady_seconds() - started;
}

void ParameterAverage::wait_behind(const std::function<void()>& wait) {
  const double before = clock_.seconds(steady_seconds());
  wait();
  const double during = clock_.seconds(steady_seconds()) - before;
  waited_ += during;
  behind_ += during;
}

double ParameterAverage::take_behind() { return std::exchange(behind_, 0); }

std::optional<double> ParameterAverage::take_hidden() {
  if (on_gpu_) return std::nullopt;
  const double exchanged = clock_.seconds(steady_seconds());
  const double hidden = exchanged - std::exchange(reported_, exchanged) - std::exchange(waited_, 0);
  return std::max(0.0, hidden);
}

}  // namespace ringlab
