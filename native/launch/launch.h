// This process's rank and world size, and the start of several ranks on one node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/store/agent_rendezvous.h"
#include "comm/transport/net.h"
#include "options/options.h"

namespace ringlab {

/// Devices and backends that this build and this machine support.
struct Capabilities {
  bool cuda = false;  ///< libtorch was built for CUDA
  int gpus = 0;       ///< devices visible to CUDA
  bool nccl = false;
  bool graphs = false;  ///< this build supports CUDA graphs
};

struct Launch {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int gpu = -1;              ///< CUDA device to compute on; -1: the CPU
  bool distributed = false;  ///< more than one process
  Endpoint master;           ///< only if distributed; with `agent` that of torchrun's store
  std::optional<AgentJob> agent = std::nullopt;  ///< torchrun started this rank, and its agent keeps a store at `master`
};

/// Resolves --world-size, --rank and --dist-url (env:// reads the environment). Throws Failure (usage, backend_missing).
/// The device is --gpu, or if CUDA sees any the local rank's; --no-accel selects the CPU.
Launch resolve_launch(const Options& options, const Capabilities& capabilities = {});

/// A variable required by env://, at least `low`. Throws Failure (usage).
int environment_number(const char* name, int low);

/// Does this command start ranks, instead of being one?
bool starts_ranks(const Options& options);

/// Main function of a rank that is a fork of its launcher: a whole command line without the program's name. Returns its
/// exit code.
using RunCommand = int (*)(const std::vector<std::string>& arguments);

/// Has this process one thread? Only then can a fork of it work fully.
bool is_single_threaded();

/// Starts `nproc_per_node` copies of this program (default: one per GPU) with the same options and separate ranks, waits for all,
/// and forwards the first signal; a second one kills them. They also end with this process. Local rank 0 shares this console and
/// folder; local rank k works in the folder rank-<k> and writes its console output to log.txt there. Batch and workers are
/// divided among the ranks, as in main.py. With `run` the ranks are forks of this process, which share its loaded libtorch;
/// without, they execute its file. Returns the exit code of the rank that failed first, 4 if one was killed (128 + the signal if
/// it was the only one), else the first that is not 0; 128 + its number after a second signal.
int start_ranks(const Options& options, const Capabilities& capabilities = {}, RunCommand run = nullptr);

/// Was this process started by start_ranks(), whose console reports to the user?
bool started_by_launcher();

}  // namespace ringlab
