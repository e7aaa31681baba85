// Local steps with an average of what they changed: local SGD (Stich 2018, arXiv 1805.09767), DiLoCo (Douillard et al. 2023,
// arXiv 2311.08105) with its fragments and overlap (Streaming DiLoCo, arXiv 2501.18512), and the quadratic rule by which the
// number of local steps grows as the learning rate falls (QSR, Gu et al. 2023, arXiv 2310.14423).
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <vector>

#include "sync/compressor.h"
#include "sync/mode.h"
#include "sync/parameter_average.h"

namespace ringlab {

/// Keeps an anchor of every parameter, equal on all ranks to the bit. What a rank's local steps changed (anchor - local)
/// is averaged fragment by fragment; the mean is the gradient of an outer step with Nesterov momentum on the anchor, from
/// which the local parameters then continue, plus their changes while the mean was exchanged.
class OuterAverage : public ParameterAverage {
 public:
  /// `parameters` are equal on all ranks now. `mode` is of kind outer, its period at most `steps_per_epoch`, which
  /// is 0 where steps are not counted in epochs. All must outlive this.
  OuterAverage(Communicator& communicator, Compressor& compressor, std::vector<at::Tensor> parameters, const SyncMode& mode, int64_t steps_per_epoch);
  ~OuterAverage() override;

  void after_step(int64_t step, double lr) override;
  void synchronise(bool last) override;
  void use_memory(const std::vector<at::Tensor>& parameters) override;
  bool exchanges_through() const override;
  bool take_set_weights() override {
    if (!stands() || !anchor_at_parameters()) return false;
    for (auto& momentum : momenta_) momentum.reset();
    compressor_.forget();
    return true;
  }
  void share_anchor() override;
  void begin_epoch(int64_t first, int64_t steps) override;
  void abandon() override;
  [[nodiscard]] std::function<void()> take_over(ParameterAverage& before, int root, bool behind) override;
  NamedTensors state() override;
  void load_state(const NamedTensors& state, bool same_ranks) override;
  void admit(int root, bool is_new, const std::function<void(const Lacking&)>& before_sending) override;

 private:
  struct Fragment {
    std::vector<size_t> which;        ///< numbers of its parameters
    int64_t age = 0;                  ///< local steps since it was last sent
    bool flying = false;
    std::vector<at::Tensor> changes;  ///< while flying: this rank's, and once `arrived`, the mean
    std::vector<at::Tensor> sent;     ///< the local parameters when it was sent
    int64_t sent_step = 0;            ///< optimizer steps before
    std::shared_future<void> arrived;
  };

  /// On the anchor, with nothing under way?
  [[nodiscard]] bool stands() const {
    return position_ == 0 && std::all_of(fragments_.begin(), fragments_.end(), [](const Fragment& f) { return f.age == 0 && !f.flying; });
  }
  bool anchor_at_parameters();
  void share_anchors(int root, const std::function<void(const Lacking&)>& before_sending);
  int64_t due(size_t fragment) const;
  int64_t next_period(int64_t step, double lr) const;
  void send(Fragment& fragment, Compressor& compressor);
  void land(Fragment& fragment);

  /// Steps, where no epoch ends a period.
  static constexpr int64_t kMaxPeriod = 1000000;

  Compressor& compressor_;
  std::unique_ptr<Compressor> plain_;  ///< of the first steps
  std::vector<at::Tensor> parameters_;
  SyncMode mode_;
  int64_t steps_per_epoch_;
  int64_t epoch_began_ = 0;  ///< with which optimizer step
  std::vector<at::Tensor> anchors_;
  std::vector<at::Tensor> momenta_;  ///< undefined before the first outer step
  std::vector<Fragment> fragments_;
  int64_t position_ = 0;  ///< local steps in this period
  int64_t period_ = 1;
};

}  // namespace ringlab
