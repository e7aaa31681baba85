// torch.optim.SGD with momentum and weight decay: the same operations in the same order as Python's.
#pragma once

#include <vector>

#include "optim/optimizer.h"

namespace ringlab {

struct SgdSettings {
  double momentum = 0.9;
  double weight_decay = 1e-4;
};

class Sgd : public Optimizer {
 public:
  Sgd(std::vector<at::Tensor> parameters, SgdSettings settings);

 protected:
  void update(size_t index, at::Tensor parameter, at::Tensor gradient, double rate) override;
  void update_together(const std::vector<size_t>& indices, const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& gradients, double rate) override;
  Value group_settings() const override;
  NamedTensors state_of(size_t parameter) const override;
  void set_state_of(size_t parameter, NamedTensors state) override;

 private:
  at::Tensor scratch_;               ///< gradient with weight decay, of one piece
  std::vector<at::Tensor> buffers_;  ///< momentum buffers, one per parameter, undefined before its first step
  SgdSettings settings_;
};

}  // namespace ringlab
