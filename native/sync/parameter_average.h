// Local steps of every rank, and what brings their parameters together.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "comm/collectives/busy_clock.h"
#include "comm/collectives/communicator.h"
#include "sync/compressor.h"
#include "sync/mode.h"

namespace ringlab {

/// All methods are called by the training thread of every rank at the same steps.
class ParameterAverage {
 public:
  virtual ~ParameterAverage() = default;

  /// Before after_step(): this rank's loss of the step.
  virtual void take_loss(double) {}
  /// After each optimizer step, with the learning rate that it had and its number over the whole run, from 0.
  virtual void after_step(int64_t step, double lr) = 0;

  /// Brings all ranks' parameters to one point, for an evaluation and a checkpoint; `last`: no step follows. A new period begins.
  virtual void synchronise(bool last) = 0;

  /// Before the first step after a synchronise(), or of a resumed run.
  virtual void begin_steps() {}

  /// What a resumed run needs to continue exactly, of this rank only; also between two averages.
  virtual NamedTensors state() = 0;
  /// Takes it back, before the first step. Throws std::runtime_error where it does not fit.
  virtual void load_state(const NamedTensors& state) = 0;

  /// Calls `wait`, which waits for another collective of the training thread's: that one comes after an exchange under way, so that this is no time in
  /// which the exchange is hidden.
  void wait_behind(const std::function<void()>& wait);

  /// Seconds since the last call in which an exchange was under way while the training thread did something else than wait for
  /// it; none where that is unknown (on a GPU).
  std::optional<double> take_hidden();

 protected:
  ParameterAverage(Communicator& communicator, bool on_gpu) : communicator_(communicator), on_gpu_(on_gpu) {}

  /// Starts an exchange in the communicator's thread. What it uses must outlive it.
  std::shared_future<void> start(std::function<void()> exchange);
  /// Throws what the exchange threw. An exchange of the run before (an invalid future) is over.
  void wait(const std::shared_future<void>& exchange);

  /// Seconds since the last call in which the training thread was in wait_behind() while an exchange was under way.
  double take_behind();

  Communicator& communicator_;

 private:
  bool on_gpu_;
  BusyClock clock_;      ///< of exchanges
  double waited_ = 0;    ///< for them, since take_hidden(), in seconds
  double behind_ = 0;    ///< of it in wait_behind(), since take_behind()
  double reported_ = 0;  ///< on the clock, then
};

}  // namespace ringlab
