// torch.optim.Adam and AdamW (Kingma and Ba 2014; Loshchilov and Hutter 2017): the same operations in the same order as
// Python's, without amsgrad.
#pragma once

#include "optim/optimizer.h"

namespace ringlab {

struct AdamSettings {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool decoupled = false;  ///< AdamW: decoupled weight decay, not through the gradient
};

class Adam : public Optimizer {
 public:
  Adam(std::vector<at::Tensor> parameters, AdamSettings settings);

 protected:
  void update(size_t index, at::Tensor parameter, at::Tensor gradient, double rate) override;
  void update_together(const std::vector<size_t>& indices, const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& gradients, double rate) override;
  Value group_settings() const override;
  NamedTensors state_of(size_t parameter) const override;
  void set_state_of(size_t parameter, NamedTensors state) override;

 private:
  struct Moments {
    at::Tensor steps;   ///< a float tensor without dimensions, as in Python; undefined before the first step
    at::Tensor mean;
    at::Tensor square;
  };

  AdamSettings settings_;
  std::vector<Moments> moments_;  ///< one per parameter
};

}  // namespace ringlab
