// torch.cuda.amp.GradScaler: fp16 gradients underflow below 6e-8, so the loss is multiplied by the largest factor without overflow.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "values/stateful.h"

namespace ringlab {

/// Order of a step: scale() the loss, backward (and the average over ranks), unscale() the gradients; the optimizer steps only if
/// that returned true; then update(). After the average over ranks, a non-finite gradient of one rank is non-finite on all: all
/// take the same decision.
class GradientScaler : public Stateful {
 public:
  at::Tensor scale(const at::Tensor& loss) const { return loss * scale_; }

  /// Divides the gradients of `parameters` by the factor, in place. Are all of them finite?
  bool unscale(const std::vector<at::Tensor>& parameters);

  /// Halves the factor after a step with non-finite gradients; doubles it after 2000 consecutive good ones. As in Python, it is a
  /// float and never grows to infinity.
  void update();

  double factor() const { return scale_; }

  /// Python's names and defaults: torch.cuda.amp.GradScaler's load_state_dict() accepts it.
  Value state_dict() const override;
  void load_state_dict(const Value& state) override;

 private:
  double scale_ = 65536;
  double growth_factor_ = 2;
  double backoff_factor_ = 0.5;
  int64_t growth_interval_ = 2000;
  int64_t good_steps_ = 0;  ///< consecutive
  bool finite_ = true;
};

}  // namespace ringlab
