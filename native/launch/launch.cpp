#include "launch/launch.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "base/numbers.h"
#include "launch/elastic.h"

namespace ringlab {
namespace {

/// The CUDA device of a rank, -1 for the CPU.
int gpu_of(const Options& options, int local_rank, const Capabilities& capabilities) {
  if (options.no_accel) return -1;
  if (!options.gpu) return capabilities.gpus > 0 ? local_rank % capabilities.gpus : -1;
  const std::string name = "--gpu " + std::to_string(*options.gpu) + ": ";
  if (!capabilities.cuda) throw Failure(ErrorCode::backend_missing, name + "this build's libtorch has no CUDA; leave out --gpu or give --no-accel");
  if (*options.gpu < capabilities.gpus) return *options.gpu;
  throw Failure(ErrorCode::backend_missing, name + (capabilities.gpus == 0 ? std::string("CUDA sees no GPU on this machine; give --no-accel")
                                                                            : "CUDA sees " + std::to_string(capabilities.gpus) + " GPUs; valid: 0 to " + std::to_string(capabilities.gpus - 1)));
}

void check_backend(const Options& options, const Launch& launch, const Capabilities& capabilities) {
  if (options.dist_backend == Backend::gloo) return;
  const std::string backend = word_of(options.dist_backend);
  const std::string name = "--dist-backend " + backend + ": ";
  if (options.dist_backend != Backend::nccl || !capabilities.nccl) {
    throw Failure(ErrorCode::backend_missing, name + "this build's libtorch has no " + backend + "; valid here: gloo" + (capabilities.nccl ? ", nccl" : ""));
  }
  if (launch.gpu < 0) throw Failure(ErrorCode::backend_missing, name + "NCCL needs a GPU for each rank, and this rank computes on the CPU; valid here: gloo");
  if (!options.gpu && launch.local_rank >= capabilities.gpus) {
    throw Failure(ErrorCode::backend_missing, name + "NCCL needs a GPU for each rank: local rank " + std::to_string(launch.local_rank) + " has none of its own among " +
                                                  std::to_string(capabilities.gpus) + "; start fewer ranks here, or take gloo");
  }
}

/// Checks options that depend on the number of processes and on the device. Throws Failure (usage).
void check_devices_and_ranks(const Options& options, const Launch& launch, const Capabilities& capabilities) {
  if (options.parallel != Parallel::ddp && launch.world_size > 1) {
    refuse_usage("--parallel " + word_of(options.parallel) + ": is one process, and this run has " + std::to_string(launch.world_size) + " processes; valid for several: ddp");
  }
  if (launch.gpu >= 0 && options.replicas > capabilities.gpus) {
    refuse_usage("--replicas " + std::to_string(options.replicas) + ": CUDA sees " + std::to_string(capabilities.gpus) + " GPUs; valid: 1 to " + std::to_string(capabilities.gpus) + ", or --no-accel");
  }
  if (options.cuda_graph && launch.gpu < 0) refuse_usage("--cuda-graph: needs a GPU, and this rank computes on the CPU");
  if (options.cuda_graph && launch.world_size > 1 && options.sync.kind != SyncMode::Kind::outer) {
    refuse_usage("--cuda-graph: gradients that are averaged while they come cannot be recorded; valid with several ranks: --sync local:H or diloco:H");
  }
  if (options.cuda_graph && !capabilities.graphs) refuse_usage("--cuda-graph: this build does not support CUDA graphs; build it with CUDA's headers");
  if (options.amp == Amp::fp16 && launch.gpu < 0) refuse_usage("--amp fp16: needs a GPU, and this rank computes on the CPU; valid here: off, bf16");
}

}  // namespace

int environment_number(const char* name, int low) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') throw Failure(ErrorCode::usage, std::string("--dist-url env://: the variable ") + name + " is not set");
  const auto value = number_of<int>(text);
  if (!value || *value < low) {
    throw Failure(ErrorCode::usage, std::string("--dist-url env://: ") + name + "=" + text + " is not a number from " + std::to_string(low) + " on");
  }
  return *value;
}

Launch resolve_launch(const Options& options, const Capabilities& capabilities) {
  Launch launch;
  launch.local_rank = options.local_rank;
  int world = options.world_size;
  int rank = options.rank;
  const bool environment = options.dist_url == "env://";
  if (environment) {
    if (world < 0) world = environment_number("WORLD_SIZE", 1);
    if (rank < 0) rank = environment_number("RANK", 0);
    if (std::getenv("LOCAL_RANK") != nullptr) launch.local_rank = environment_number("LOCAL_RANK", 0);
  }
  launch.world_size = std::max(1, world);
  launch.distributed = launch.world_size > 1;
  launch.rank = launch.distributed ? rank : 0;
  launch.gpu = gpu_of(options, launch.local_rank, capabilities);
  check_devices_and_ranks(options, launch, capabilities);
  if (!launch.distributed) return launch;
  check_backend(options, launch, capabilities);
  if (rank < 0) throw Failure(ErrorCode::usage, "--rank is missing: with --world-size " + std::to_string(world) + " give 0 to " + std::to_string(world - 1));
  if (rank >= world) {
    throw Failure(ErrorCode::usage, "--rank " + std::to_string(rank) + ": out of range for --world-size " + std::to_string(world) + "; valid: 0 to " + std::to_string(world - 1));
  }
  if (options.dist_url.empty()) throw Failure(ErrorCode::usage, "--dist-url is missing: tcp://HOST:PORT of rank 0, or env://");
  if (environment) {
    const char* host = std::getenv("MASTER_ADDR");
    if (host == nullptr || *host == '\0') throw Failure(ErrorCode::usage, "--dist-url env://: the variable MASTER_ADDR is not set");
    const int port = environment_number("MASTER_PORT", 1);
    if (port > 65535) throw Failure(ErrorCode::usage, "--dist-url env://: MASTER_PORT is not a port");
    launch.master = {without_brackets(host), static_cast<uint16_t>(port)};
    const auto elastic = torch_elastic();
    if (elastic && elastic->agent_store) launch.agent = AgentJob{elastic->run_id, elastic->restart_count, elastic->one_node};
  } else {
    launch.master = parse_endpoint(options.dist_url);
  }
  if (launch.rank == 0 && !launch.agent && is_every_address(launch.master.host)) {
    throw Failure(ErrorCode::usage, launch.master.str() + ": means every address of a machine, and rank 0 listens on one alone; give the address by which the others reach it");
  }
  return launch;
}

}  // namespace ringlab
