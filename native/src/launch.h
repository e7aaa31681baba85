// Which rank of how many this process is, and the start of several ranks on one node.
#pragma once

#include "comm/net.h"
#include "src/options.h"

namespace ringlab {

struct Launch {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  bool distributed = false;  ///< more than one process
  Endpoint master;           ///< only where distributed
};

/// Resolves --world-size, --rank and --dist-url (env:// reads the environment). Throws Failure (usage, backend_missing).
Launch resolve_launch(const Options& options);

/// Does this command start ranks instead of being one?
bool starts_ranks(const Options& options);

/// Starts `nproc_per_node` copies of this program with the same options and a rank of their own, waits for all, and
/// passes signals on. Local rank 0 keeps this console and folder; local rank k works in the folder rank-<k> and writes
/// its console there to log.txt. The batch and the workers are split over the ranks, as in main.py.
/// Returns the first exit code that is not 0.
int start_ranks(const Options& options);

}  // namespace ringlab
