// Which rank of how many this process is, and the start of several ranks on one node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/store/agent_meeting.h"
#include "comm/transport/net.h"
#include "options/options.h"

namespace ringlab {

/// What this build and this machine can compute and communicate with.
struct Capabilities {
  bool cuda = false;  ///< libtorch was built for CUDA
  int gpus = 0;       ///< devices that CUDA sees
  bool nccl = false;
  bool graphs = false;  ///< this build can record a step
};

struct Launch {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int gpu = -1;              ///< CUDA device to compute on; -1: the CPU
  bool distributed = false;  ///< more than one process
  Endpoint master;           ///< only where distributed; with `agent` that of torchrun's store
  std::optional<AgentJob> agent = std::nullopt;  ///< torchrun started this rank, and its agent keeps a store at `master`
};

/// Resolves --world-size, --rank and --dist-url (env:// reads the environment). Throws Failure (usage, backend_missing).
/// The device is --gpu, or where CUDA sees any the local rank's; --no-accel takes the CPU.
Launch resolve_launch(const Options& options, const Capabilities& capabilities = {});

/// A variable that env:// needs, from `low` on. Throws Failure (usage).
int environment_number(const char* name, int low);

/// Does this command start ranks instead of being one?
bool starts_ranks(const Options& options);

/// What a rank that is a fork of its launcher runs: a whole command line without the program's name. Returns its exit code.
using RunCommand = int (*)(const std::vector<std::string>& arguments);

/// Has this process one thread? Only then can a fork of it do what it could.
bool is_single_threaded();

/// Starts `nproc_per_node` copies (where that is not given: one a GPU) of this program with the same options and a rank of their own, waits for all, and
/// passes the first signal on; a second one ends them at once. They end with this process, too. Local rank 0 keeps this console and
/// folder; local rank k works in the folder rank-<k> and writes its console there to log.txt. The batch and the workers are split over
/// the ranks, as in main.py.
/// With `run` the ranks are forks of this process, which share the libtorch that it has loaded; without, they execute its file.
/// Returns the exit code of the rank that failed by itself, 4 where one was killed (128 + the signal where it was the only one), else
/// the first that is not 0; 128 + its number after a second signal.
int start_ranks(const Options& options, const Capabilities& capabilities = {}, RunCommand run = nullptr);

/// Was this process started by start_ranks(), whose own console says what the user must know?
bool started_by_launcher();

}  // namespace ringlab
