// Inside comm/ only: the c10d objects behind a Communicator.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/collectives/collective_thread.h"
#include "comm/collectives/communicator.h"
#include "comm/store/heartbeat.h"
#include "comm/store/run_keys.h"

namespace ringlab {

struct CommState {
  CommSettings settings;
  std::unique_ptr<RunKeys> keys;
  std::vector<std::string> addresses;  ///< of every rank
  std::unique_ptr<Heartbeat> heartbeat;
  c10::intrusive_ptr<c10d::ProcessGroup> group;       ///< Gloo
  c10::intrusive_ptr<c10d::ProcessGroup> cuda_group;  ///< NCCL, or null: then Gloo takes CUDA tensors too
  std::atomic<int64_t> bytes{0};           ///< sent; a ring receives as much
  std::atomic<bool> reporting{false};      ///< one of main thread and watchdog reports a loss
  bool ended = false;                      ///< left or finished
  CollectiveThread thread;                 ///< last: its jobs use the rest

  const c10::intrusive_ptr<c10d::ProcessGroup>& group_for(const at::Tensor& tensor) const { return tensor.is_cuda() && cuda_group ? cuda_group : group; }

  /// A ring all-reduce of `payload` bytes sends 2 (W - 1) / W of it from each rank.
  void count_allreduce(int64_t payload) { bytes += 2 * payload * (settings.world_size - 1) / settings.world_size; }
};

/// Meets the other ranks at rank 0's store: fills keys and addresses. Throws as Communicator's constructor does.
/// Returns this rank's address.
std::string rendezvous(CommState& state);

}  // namespace ringlab
