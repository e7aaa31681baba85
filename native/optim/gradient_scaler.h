// torch.cuda.amp.GradScaler: fp16 gradients would vanish below 6e-8, so the loss is multiplied by the largest factor without overflow.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "values/stateful.h"

namespace ringlab {

/// Order of a step: scale() the loss, backward (and the ranks' average), unscale() the gradients; the optimizer steps only where
/// that was true; then update(). Where gradients were averaged over the ranks, a gradient that is not finite on one rank is so on all: all decide the same.
class GradientScaler : public Stateful {
 public:
  at::Tensor scale(const at::Tensor& loss) const { return loss * scale_; }

  /// Divides the gradients of `parameters` by the factor, in place. Are all of them finite?
  bool unscale(const std::vector<at::Tensor>& parameters);

  /// Halves the factor after a step whose gradients were not finite; doubles it after 2000 good ones in a row. As Python's, it is
  /// kept as a float and never grows to infinity.
  void update();

  double factor() const { return scale_; }

  /// Python's names and defaults: torch.cuda.amp.GradScaler's load_state_dict() takes it.
  Value state_dict() const override;
  void load_state_dict(const Value& state) override;

 private:
  double scale_ = 65536;
  double growth_factor_ = 2;
  double backoff_factor_ = 0.5;
  int64_t growth_interval_ = 2000;
  int64_t good_steps_ = 0;  ///< in a row
  bool finite_ = true;
};

}  // namespace ringlab
