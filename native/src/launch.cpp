#include "src/launch.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>

#include "comm/run_secret.h"
#include "src/combinations.h"
#include "src/error.h"
#include "src/stop_signal.h"

namespace ringlab {
namespace {

int environment_number(const char* name, int low) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') throw Failure(ErrorCode::usage, std::string("--dist-url env://: the variable ") + name + " is not set");
  int value = 0;
  const auto result = std::from_chars(text, text + std::strlen(text), value);
  if (result.ec != std::errc() || *result.ptr != '\0' || value < low) {
    throw Failure(ErrorCode::usage, std::string("--dist-url env://: ") + name + "=" + text + " is not a number from " + std::to_string(low) + " on");
  }
  return value;
}

int ranks_of_node(const Options& options, const Capabilities& capabilities) {
  if (options.nproc_per_node > 0) return options.nproc_per_node;
  return std::max(1, options.no_accel ? 0 : capabilities.gpus);
}

/// The CUDA device of a rank, -1 for the CPU.
int gpu_of(const Options& options, int local_rank, const Capabilities& capabilities) {
  if (options.no_accel) return -1;
  if (!options.gpu) return capabilities.gpus > 0 ? local_rank % capabilities.gpus : -1;
  const std::string name = "--gpu " + std::to_string(*options.gpu) + ": ";
  if (!capabilities.cuda) throw Failure(ErrorCode::backend_missing, name + "this build's libtorch has no CUDA; leave --gpu away or give --no-accel");
  if (*options.gpu < capabilities.gpus) return *options.gpu;
  throw Failure(ErrorCode::backend_missing, name + (capabilities.gpus == 0 ? std::string("CUDA sees no GPU on this machine; give --no-accel")
                                                                            : "CUDA sees " + std::to_string(capabilities.gpus) + " GPUs; valid: 0 to " + std::to_string(capabilities.gpus - 1)));
}

void check_backend(const Options& options, const Launch& launch, const Capabilities& capabilities) {
  if (options.dist_backend == "gloo") return;
  const std::string name = "--dist-backend " + options.dist_backend + ": ";
  if (options.dist_backend != "nccl" || !capabilities.nccl) {
    throw Failure(ErrorCode::backend_missing, name + "this build's libtorch has no " + options.dist_backend + "; valid here: gloo" + (capabilities.nccl ? ", nccl" : ""));
  }
  if (launch.gpu < 0) throw Failure(ErrorCode::backend_missing, name + "NCCL needs a GPU for each rank, and this rank computes on the CPU; valid here: gloo");
  if (!options.gpu && launch.local_rank >= capabilities.gpus) {
    throw Failure(ErrorCode::backend_missing, name + "NCCL needs a GPU for each rank: local rank " + std::to_string(launch.local_rank) + " has none of its own among " +
                                                  std::to_string(capabilities.gpus) + "; start fewer ranks here, or take gloo");
  }
}

std::string absolute(const std::string& path) { return path.empty() ? path : std::filesystem::absolute(path).string(); }

[[noreturn]] void run_child(const std::vector<std::string>& arguments, int local_rank, RunCommand run) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (local_rank > 0) {
    const std::string folder = "rank-" + std::to_string(local_rank);
    mkdir(folder.c_str(), 0755);
    if (chdir(folder.c_str()) != 0) _exit(1);
    const int log = open("log.txt", O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (log < 0) _exit(1);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    close(log);
  }
  if (run != nullptr) std::exit(run(arguments));
  std::string name = "ringlab-train";
  std::vector<char*> argv{name.data()};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv("/proc/self/exe", argv.data());
  _exit(127);
}

}  // namespace

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
  check_combinations(options, launch, capabilities);
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
    launch.master = {host, static_cast<uint16_t>(port)};
  } else {
    launch.master = parse_endpoint(options.dist_url);
  }
  if (launch.rank == 0 && is_every_address(launch.master.host)) {
    throw Failure(ErrorCode::usage, launch.master.str() + ": stands for every address of a machine, and rank 0 listens on one alone; give the address by which the others reach it");
  }
  return launch;
}

bool is_single_threaded() {
  std::error_code failed;
  const std::filesystem::directory_iterator threads("/proc/self/task", failed);
  return !failed && std::distance(begin(threads), end(threads)) == 1;
}

bool starts_ranks(const Options& options) { return options.multiprocessing_distributed || options.nproc_per_node > 0; }

int start_ranks(const Options& options, const Capabilities& capabilities, RunCommand run) {
  const int local = ranks_of_node(options, capabilities);
  int nodes = options.world_size;
  int node = options.rank;
  if (options.dist_url == "env://") {
    if (nodes < 0) nodes = environment_number("WORLD_SIZE", 1);
    if (node < 0) node = environment_number("RANK", 0);
  }
  nodes = std::max(1, nodes);
  node = nodes == 1 ? 0 : node;
  if (node < 0 || node >= nodes) throw Failure(ErrorCode::usage, "--rank is missing or out of range: this node's number, 0 to " + std::to_string(nodes - 1));
  const int world = nodes * local;
  Options resolved = options;
  resolved.world_size = world;
  resolved.rank = 0;
  if (resolved.dist_url.empty() && nodes == 1) resolved.dist_url = "tcp://127.0.0.1:" + std::to_string(free_local_port());
  std::string url = resolved.dist_url;
  if (world > 1) url = "tcp://" + resolve_launch(resolved, capabilities).master.str();  // every complaint now, before anything starts
  // One machine: the ranks' secret need not leave it, and nobody has to make one.
  if (nodes == 1 && local > 1 && options.secret_file.empty()) resolved.secret_file = inheritable_secret();
  if (resolved.secret_file == "-") throw Failure(ErrorCode::usage, "--secret-file -: several ranks cannot read one standard input; give a file");
  const int batch = options.batch_size / local;
  if (batch < 1) throw Failure(ErrorCode::usage, "--batch-size " + std::to_string(options.batch_size) + ": less than one image for each of " + std::to_string(local) + " ranks");

  std::vector<pid_t> children;
  for (int k = 0; k < local; ++k) {
    Options mine = options;
    mine.multiprocessing_distributed = false;
    mine.nproc_per_node = 0;
    mine.world_size = world;
    mine.rank = node * local + k;
    mine.local_rank = k;
    if (local > 1) mine.gpu.reset();  // each its own, as in main.py
    mine.dist_url = url;
    mine.batch_size = batch;
    mine.workers = (options.workers + local - 1) / local;
    mine.threads = options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / local);
    mine.dir = absolute(options.dir);
    mine.resume = absolute(options.resume);
    mine.pretrained = absolute(options.pretrained);
    mine.secret_file = absolute(resolved.secret_file);
    const std::vector<std::string> child = options_as_arguments(mine);
    std::fflush(nullptr);  // what waits here must not be written by each fork, too
    const pid_t pid = fork();
    if (pid == 0) run_child(child, k, run);
    if (pid < 0) throw Failure(ErrorCode::internal, std::string("cannot start a rank: ") + std::strerror(errno));
    children.push_back(pid);
  }
  int result = 0;
  size_t left = children.size();
  bool passed_on = false;
  while (left > 0) {
    if (stop_requested() && !passed_on) {
      for (const pid_t child : children) kill(child, SIGTERM);
      passed_on = true;
    }
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid > 0) {
      --left;
      children.erase(std::remove(children.begin(), children.end(), pid), children.end());
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
      // A rank that only lost a peer is the second to fail: the first one's code says more.
      if (code != 0 && (result == 0 || result == 4)) result = code;
      continue;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return result;
}

}  // namespace ringlab
