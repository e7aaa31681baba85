// What torchrun (torch.distributed.elastic) passes to its workers, and how a worker reports a failure to it.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"

namespace ringlab {

/// A worker's environment, from the variables TORCHELASTIC_… and LOCAL_WORLD_SIZE.
struct TorchElastic {
  std::string run_id;
  int restart_count = 0;     ///< 0 at the first start; incremented at each restart of all workers
  bool agent_store = false;  ///< MASTER_ADDR:MASTER_PORT is the agent's store: rank 0 must not listen there
  bool one_node = false;     ///< all workers are on this machine
};

/// Nothing if torchrun did not start this process.
std::optional<TorchElastic> torch_elastic();

/// Writes the failure to TORCHELASTIC_ERROR_FILE, as Python's `record` does, so that torchrun's summary includes its
/// message. No effect without the variable; write errors are ignored.
void write_error_file(const Failure& failure);

}  // namespace ringlab
