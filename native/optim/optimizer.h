// Base class of all optimizers: their parameters, and a state that torch.optim's class of the same name loads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// A derived class has the update of one parameter, the settings of a parameter group, and one parameter's tensors by
/// torch.optim's names. This base implements the rest of step(), state_dict() and load_state_dict(), in Python's format, for
/// checkpoints and to send rank 0's state to all.
class Optimizer {
 public:
  using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

  /// `kind` is torch.optim's class name, `state_names` are the tensors of every parameter with a state.
  Optimizer(std::vector<at::Tensor> parameters, std::string kind, std::vector<std::string> state_names)
      : parameters_(std::move(parameters)), kind_(std::move(kind)), state_names_(std::move(state_names)) {}
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One step with the gradients in `grad`. Parameters without a gradient are unchanged.
  void step(double lr);
  /// Releases the gradients, as Python's zero_grad(set_to_none=True). The Reducer then copies each new one into its bucket,
  /// which is cheaper than zeroing the buckets and adding to them.
  void zero_grad();

  const std::vector<at::Tensor>& parameters() const { return parameters_; }

  /// Indices into parameters(), ascending, of the last layer. All others are in the backbone.
  void set_head(std::vector<size_t> head);
  /// From now on two parameter groups as in torch.optim: the backbone's, with the rate set here, and the head's, with step()'s
  /// rate. `initial` is the initial rate of the backbone's schedule. Call it after set_head().
  void split(double initial);
  void set_backbone_rate(double rate) { backbone_rate_ = rate; }

  /// torch.optim's state_dict(): {"state": {0: {name: tensor}, …}, "param_groups": [{"lr": …, …, "params": [0, …]}]}.
  /// Its tensors share memory with the optimizer's.
  Value state_dict(double lr, double initial_lr) const;
  /// Accepts our format and Python's, with any grouping of the parameters, and with split()'s, even if this optimizer is not
  /// split; the learning rates in it are left to the caller. Throws std::runtime_error with the mismatch, and then changes
  /// nothing.
  void load_state_dict(const Value& state);
  /// Settings in `state` that this optimizer computes with otherwise: "weight_decay 0.0005 (here 0.0001)". load_state_dict() takes none of them:
  /// the command line has them, or this trainer has no such setting.
  std::vector<std::string> other_settings(const Value& state) const;

 protected:
  /// One step of parameter `index`, which shares `parameter`'s memory, at learning rate `rate`. Autograd is off.
  virtual void update(size_t index, at::Tensor parameter, at::Tensor gradient, double rate) = 0;
  /// The same for several parameters with one rate: on a GPU, where an operation over a list of tensors is one launch. To the bit what update() does.
  virtual void update_together(const std::vector<size_t>& indices, const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& gradients, double rate) = 0;
  /// The settings of a parameter group other than lr, initial_lr and params: "momentum", "weight_decay", …
  virtual Value group_settings() const = 0;
  /// Names and tensors of one parameter's state, in Python's order; empty before its first step. A tensor has the
  /// parameter's shape, or no dimensions ("step").
  virtual NamedTensors state_of(size_t parameter) const = 0;
  /// The inverse. The tensors are copies with the parameter's type and device (numbers: float tensors without
  /// dimensions on the CPU), and their shapes are checked. The state is empty, or has all of `state_names` and possibly
  /// others.
  virtual void set_state_of(size_t parameter, NamedTensors state) = 0;

 private:
  /// The rate of one parameter, if step() was called with `lr`.
  double rate_of(size_t parameter, double lr) const { return is_backbone_.empty() || !is_backbone_[parameter] ? lr : backbone_rate_; }
  void check_state(const NamedTensors& state) const;
  std::vector<size_t> backbone() const;
  std::map<int64_t, size_t> places(const Value& state) const;

  std::vector<at::Tensor> parameters_;
  const std::string kind_;
  const std::vector<std::string> state_names_;
  std::vector<size_t> head_;
  std::vector<bool> is_backbone_;  ///< by parameter; empty without split()
  double backbone_rate_ = 0;
  double backbone_initial_ = 0;
};

}  // namespace ringlab
