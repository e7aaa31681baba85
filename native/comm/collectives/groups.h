// Inside comm/ only: the process groups of ranks that have met.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <memory>

#include "comm/collectives/exchange_guard.h"
#include "comm/transport/connections.h"

namespace ringlab {

struct CommState;

struct Groups {
  std::shared_ptr<ExchangeGuard> guard;               ///< of both Gloo groups
  c10::intrusive_ptr<c10d::ProcessGroup> gloo;
  c10::intrusive_ptr<c10d::ProcessGroup> control;     ///< Gloo's, or null: see CommSettings
  c10::intrusive_ptr<c10d::ProcessGroup> nccl;        ///< or null
};

/// Waits until all ranks are connected. Throws c10d's exceptions.
Groups connect_groups(const CommState& state);

/// The same, but for ranks that are left after others were lost: throws std::runtime_error once `state.lost` is true, although Gloo would wait for the lost rank for half an hour.
/// `before`: the connections that there were.
Groups connect_groups_that_are_left(const CommState& state, const Connections::Known& before);

}  // namespace ringlab
