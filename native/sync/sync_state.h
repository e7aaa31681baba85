// What a way of synchronising keeps from step to step, as a part of a rank's rank-state.pth.
#pragma once

#include <functional>
#include <string>

#include "optim/optimizer.h"
#include "sync/compressor.h"
#include "values/stateful.h"

namespace ringlab {

class SyncState : public Stateful {
 public:
  /// Tensors by name, from their owners and back to them.
  struct Source {
    std::string name;
    std::function<NamedTensors()> get;
    std::function<void(const NamedTensors&)> set;
  };

  /// `mode` is the whole --sync: a state saved with another one is refused by name. `own` is the optimizer whose state
  /// differs between the ranks; null where all have rank 0's.
  SyncState(std::string mode, std::vector<Source> sources, Optimizer* own) : mode_(std::move(mode)), sources_(std::move(sources)), own_(own) {}

  Value state_dict() const override;
  void load_state_dict(const Value& state) override;

 private:
  std::string mode_;
  std::vector<Source> sources_;
  Optimizer* own_;
};

}  // namespace ringlab
