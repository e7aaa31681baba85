// Several ranks of one node, started by one command.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/metrics.h"
#include "base/stop_signal.h"
#include "comm/transport/run_secret.h"
#include "launch/launch.h"

namespace ringlab {
namespace {

int ranks_of_node(const Options& options, const Capabilities& capabilities) {
  if (options.nproc_per_node > 0) return options.nproc_per_node;
  return std::max(1, options.no_accel ? 0 : capabilities.gpus);
}

std::string absolute(const std::string& path) { return path.empty() ? path : std::filesystem::absolute(path).string(); }

constexpr const char* kLauncherVariable = "RINGLAB_LAUNCHER";

[[noreturn]] void run_child(const std::vector<std::string>& arguments, int local_rank, pid_t launcher, RunCommand run) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != launcher) _exit(kExitStopped);  // the launcher exited before the death signal was set
  setenv(kLauncherVariable, std::to_string(launcher).c_str(), 1);
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
  if (run != nullptr) {
    signals_of_a_rank();
    std::exit(run(arguments));
  }
  std::string name = "ringlab-train";
  std::vector<char*> argv{name.data()};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv("/proc/self/exe", argv.data());
  _exit(127);
}

struct Child {
  pid_t pid = -1;
  int local_rank = 0;
};

void signal_all(const std::vector<Child>& children, int number) {
  for (const auto& child : children) kill(child.pid, number);
}

/// Reports which rank failed first, and where its output is: local rank k's is in a file.
void report_end(const Child& child, int rank, int status) {
  std::string text = "rank " + std::to_string(rank);
  if (WIFSIGNALED(status)) text += " was killed by " + signal_name(WTERMSIG(status));
  else text += " ended with exit code " + std::to_string(WEXITSTATUS(status));
  if (child.local_rank > 0) text += "; its output is in rank-" + std::to_string(child.local_rank) + "/log.txt";
  std::fprintf(stderr, "ringlab-train: error: %s\n", text.c_str());
}

/// Waits until all have ended. `first_rank`: the global rank of local rank 0. `goes_on`: ranks that went on without others decide the exit code.
int wait_for(std::vector<Child> children, int first_rank, bool goes_on) {
  const bool alone = children.size() == 1;
  int result = 0;
  bool reported = false;
  bool passed_on = false;
  bool killed = false;
  std::optional<int> went_on;
  while (!children.empty()) {
    if (stop_requested() && !passed_on) {
      signal_all(children, stop_signal());
      passed_on = true;
    }
    if (second_signal() != 0 && !killed) {
      signal_all(children, SIGKILL);
      killed = true;
    }
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    const auto ended = std::find_if(children.begin(), children.end(), [pid](const Child& child) { return child.pid == pid; });
    if (pid <= 0 || ended == children.end()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : alone ? 128 + WTERMSIG(status) : exit_code_of(ErrorCode::peer_lost);
    // A rank that only lost a peer failed second: the first one's exit code is more useful.
    const bool by_itself = code != 0 && code != kExitStopped && (code != exit_code_of(ErrorCode::peer_lost) || WIFSIGNALED(status));
    if (by_itself && !reported && !killed && (WIFSIGNALED(status) || ended->local_rank > 0)) {
      report_end(*ended, first_rank + ended->local_rank, status);
      reported = true;
    }
    if (code != 0 && (result == 0 || result == exit_code_of(ErrorCode::peer_lost))) result = code;
    if (goes_on && (code == 0 || code == kExitStopped)) went_on = code;
    children.erase(ended);
  }
  return second_signal() != 0 ? 128 + second_signal() : went_on.value_or(result);
}

}  // namespace

bool started_by_launcher() {
  const char* launcher = std::getenv(kLauncherVariable);
  return launcher != nullptr && std::to_string(getppid()) == launcher;
}

bool starts_ranks(const Options& options) { return options.multiprocessing_distributed || options.nproc_per_node > 0; }

bool is_single_threaded() {
  std::error_code failed;
  const std::filesystem::directory_iterator threads("/proc/self/task", failed);
  return !failed && std::distance(begin(threads), end(threads)) == 1;
}

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
  if (world > 1) url = "tcp://" + resolve_launch(resolved, capabilities).master.str();  // report all usage errors before anything starts
  // One machine: the ranks' secret is local and needs no user action.
  if (nodes == 1 && local > 1 && options.secret_file.empty()) resolved.secret_file = inheritable_secret();
  if (resolved.secret_file == "-") throw Failure(ErrorCode::usage, "--secret-file -: several ranks cannot read one standard input; give a file");
  const int batch = options.batch_size / local;
  if (batch < 1) throw Failure(ErrorCode::usage, "--batch-size " + std::to_string(options.batch_size) + ": less than one image for each of " + std::to_string(local) + " ranks");

  count_second_signal();
  announce_stop_signals(options.evaluate ? "the ranks stop" : "the ranks stop after the current step and save a checkpoint");
  pass_line_clock_on();
  const pid_t self = getpid();
  std::vector<Child> children;
  for (int k = 0; k < local; ++k) {
    Options mine = options;
    mine.multiprocessing_distributed = false;
    mine.nproc_per_node = 0;
    mine.world_size = world;
    mine.rank = node * local + k;
    mine.local_rank = k;
    if (local > 1) mine.gpu.reset();  // one each, as in main.py
    mine.dist_url = url;
    mine.batch_size = batch;
    mine.workers = (options.workers + local - 1) / local;
    mine.threads = options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / local);
    mine.dir = absolute(options.dir);
    mine.resume = absolute(options.resume);
    mine.pretrained = absolute(options.pretrained);
    mine.secret_file = absolute(resolved.secret_file);
    const std::vector<std::string> child = options_as_arguments(mine);
    std::fflush(nullptr);  // else each fork would write the buffered output again
    const pid_t pid = fork();
    if (pid == 0) run_child(child, k, self, run);
    if (pid < 0) {
      const int error = errno;
      signal_all(children, SIGKILL);
      throw Failure(ErrorCode::internal, std::string("cannot start a rank: ") + std::strerror(error));
    }
    children.push_back({pid, k});
  }
  return wait_for(std::move(children), node * local, options.on_lost_rank == OnLostRank::go_on);
}

}  // namespace ringlab
