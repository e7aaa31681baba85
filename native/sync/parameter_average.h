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
#include "comm/collectives/share_model.h"
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

  /// The parameters lie elsewhere now, as they are otherwise: `parameters` are those that this was made with.
  virtual void use_memory(const std::vector<at::Tensor>& parameters) = 0;

  /// Does an exchange go on beyond the next step's after_step()? The same on all ranks: another collective within the step would wait for it.
  virtual bool exchanges_through() const = 0;

  /// Before the first step after a synchronise(), or of a resumed run.
  virtual void begin_steps() {}
  /// Before that, where all stand on one point: weights that something else has set since (a state dict that was loaded) become this rank's anchor; nothing that
  /// was not sent, or kept for afterwards, is added to them. True where there are such weights.
  virtual bool take_set_weights() = 0;
  /// A collective, where any rank has taken such weights, after its first steps: all get rank 0's anchor, and keep what their steps have changed.
  virtual void share_anchor() = 0;
  /// Before that: the epoch began with optimizer step `first` and has `steps`. Only where epochs may have different numbers of steps.
  virtual void begin_epoch(int64_t, int64_t) {}

  /// How many exchanges count on this rank. When ranks are lost, those that are left differ by one at most.
  int64_t landed() const { return landed_; }
  /// Optimizer steps, over the whole run, before the last of them was sent.
  int64_t landed_step() const { return landed_step_; }
  /// Where ranks were lost: waits for exchanges under way, which fail.
  virtual void abandon() = 0;
  /// This rank's own parameters, when it is the last one: after abandon().
  virtual void keep_own() {}
  /// A collective of the ranks that are left, before the first step of this average, which is a new one: continues `before`, this rank's average with those that
  /// were lost, which was abandoned. On `root` the most exchanges count; `behind`: one less counts here. It changes neither the parameters nor what `before` holds: the function
  /// that it returns does, without other ranks, and both must be there then.
  [[nodiscard]] virtual std::function<void()> take_over(ParameterAverage& before, int root, bool behind) = 0;

  /// What a resumed run needs to continue exactly, of this rank only; also between two averages.
  virtual NamedTensors state() = 0;
  /// Takes it back, before the first step. Where it is of another number of ranks, not `same_ranks`, only the anchor and this rank's own parameters: what was not sent
  /// is sent anew, and admit() must follow. Throws std::runtime_error where it does not fit.
  virtual void load_state(const NamedTensors& state, bool same_ranks) = 0;
  /// A collective of a resumed run: all ranks get `root`'s anchor, if they have another one, and the parameters of one that `is_new` become it.
  virtual void admit(int root, bool is_new, const std::function<void(const Lacking&)>& before_sending) = 0;

  /// Calls `wait`, which waits for another collective of the training thread's: nothing is computed meanwhile, so that this is no time in which an exchange
  /// under way is hidden.
  void wait_behind(const std::function<void()>& wait);

  /// Seconds since the last call in which an exchange was under way while the training thread did something else than wait for
  /// it; none where that is unknown (on a GPU).
  std::optional<double> take_hidden();

 protected:
  ParameterAverage(Communicator& communicator, bool on_gpu) : communicator_(communicator), on_gpu_(on_gpu) {}

  /// Of state(): the run's optimizer steps, those before the exchange that counts last was sent, and `sent`, those before each exchange under way was.
  NamedTensors::value_type steps_state(const std::vector<int64_t>& sent) const;
  /// Takes it back, into `sent`, too, which keeps its size. An earlier version's state has none: then nothing changes. Throws std::runtime_error where it does not fit.
  void load_steps(const NamedTensors& state, std::vector<int64_t>& sent);

  /// Starts an exchange in the communicator's thread. What it uses must outlive it.
  std::shared_future<void> start(std::function<void()> exchange);
  /// Throws what the exchange threw. An exchange of the run before (an invalid future) is over.
  void wait(const std::shared_future<void>& exchange);

  /// Seconds since the last call in which the training thread was in wait_behind() while an exchange was under way.
  double take_behind();

  Communicator& communicator_;
  int64_t step_ = 0;         ///< optimizer steps over the whole run
  int64_t landed_ = 0;
  int64_t landed_step_ = 0;

 private:
  bool on_gpu_;
  BusyClock clock_;      ///< of exchanges
  double waited_ = 0;    ///< for them, since take_hidden(), in seconds
  double behind_ = 0;    ///< of it in wait_behind(), since take_behind()
  double reported_ = 0;  ///< on the clock, then
};

}  // namespace ringlab
