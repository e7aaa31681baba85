// Local steps with an average of what they changed: local SGD (Stich 2018, arXiv 1805.09767), DiLoCo (Douillard et al. 2023,
// arXiv 2311.08105) with its fragments and overlap (Streaming DiLoCo, arXiv 2501.18512), and the quadratic rule by which the
// number of local steps grows as the learning rate falls (QSR, Gu et al. 2023, arXiv 2310.14423).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "comm/collectives/busy_clock.h"
#include "comm/collectives/communicator.h"
#include "sync/compressor.h"
#include "sync/mode.h"

namespace ringlab {

/// Keeps an anchor of every parameter, equal on all ranks to the bit. What a rank's local steps changed (anchor - local)
/// is averaged fragment by fragment; the mean is the gradient of an outer step with Nesterov momentum on the anchor, from
/// which the local parameters then continue, plus their changes while the mean was exchanged. All methods are called by the
/// training thread of every rank at the same steps.
class OuterAverage {
 public:
  /// `parameters` are equal on all ranks now. `mode` is of kind outer, its period at most `steps_per_epoch`. All must outlive this.
  OuterAverage(Communicator& communicator, Compressor& compressor, std::vector<at::Tensor> parameters, const SyncMode& mode, int64_t steps_per_epoch);
  ~OuterAverage();

  /// After each optimizer step, with the learning rate that it had and its number over the whole run, from 0.
  void after_step(int64_t step, double lr);

  /// Brings all ranks to one point: exchanges what local steps changed since the last time. A new period begins.
  void synchronise();

  /// Seconds since the last call in which an exchange was under way while the training thread did something else than wait for
  /// it; none where that is unknown (on a GPU).
  std::optional<double> take_hidden();

  /// What a resumed run needs to continue exactly, of this rank only; also between two averages.
  NamedTensors state();
  /// Takes it back, before the first step. Throws std::runtime_error where it does not fit.
  void load_state(const NamedTensors& state);

 private:
  struct Fragment {
    std::vector<size_t> which;        ///< numbers of its parameters
    int64_t age = 0;                  ///< local steps since it was last sent
    bool flying = false;
    std::vector<at::Tensor> changes;  ///< while flying: this rank's, and once `arrived`, the mean
    std::vector<at::Tensor> sent;     ///< the local parameters when it was sent
    std::shared_future<void> arrived;
  };

  int64_t due(size_t fragment) const;
  int64_t next_period(int64_t step, double lr) const;
  void send(Fragment& fragment, Compressor& compressor);
  void land(Fragment& fragment);

  Communicator& communicator_;
  Compressor& compressor_;
  std::unique_ptr<Compressor> plain_;  ///< of the first steps
  std::vector<at::Tensor> parameters_;
  SyncMode mode_;
  int64_t steps_per_epoch_;
  std::vector<at::Tensor> anchors_;
  std::vector<at::Tensor> momenta_;  ///< undefined before the first outer step
  std::vector<Fragment> fragments_;
  int64_t position_ = 0;  ///< local steps in this period
  int64_t period_ = 1;
  BusyClock clock_;   ///< of exchanges
  double waited_ = 0;  ///< for them, since take_hidden(), in seconds
  double reported_ = 0;    ///< on the clock, then
};

}  // namespace ringlab
