#include "sync/parameter_average.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "comm/collectives/collective_thread.h"

namespace ringlab {

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
