#include "supervise/trainer_process.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/error.h"
#include "base/file_text.h"

namespace ringlab {
namespace {

/// Of this process's control group (version 2): how many processes the kernel has killed for lack of memory. 0 where unknown.
int64_t memory_kills() {
  std::istringstream groups(file_text("/proc/self/cgroup"));
  std::string line;
  while (std::getline(groups, line)) {
    if (line.compare(0, 3, "0::") != 0) continue;
    std::istringstream events(file_text("/sys/fs/cgroup" + line.substr(3) + "/memory.events"));
    std::string name;
    int64_t count = 0;
    while (events >> name >> count) {
      if (name == "oom_kill") return count;
    }
  }
  return 0;
}

}  // namespace

SecretInMemory::SecretInMemory(const std::string& text) : fd_(memfd_create("ringlab-secret", 0)) {  // inherited: not close-on-exec
  const std::string line = text + "\n";
  if (fd_ >= 0 && fchmod(fd_, 0600) == 0 && write(fd_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
  const std::string reason = std::strerror(errno);
  if (fd_ >= 0) close(fd_);
  throw Failure(ErrorCode::internal, "no file in memory for the run's secret: " + reason);
}

SecretInMemory::~SecretInMemory() { close(fd_); }

std::string SecretInMemory::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

TrainerProcess::TrainerProcess(const std::vector<std::string>& arguments) : kills_before_(memory_kills()) {
  std::string name = "ringlab-train";
  std::vector<char*> argv{name.data()};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  std::fflush(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw Failure(ErrorCode::internal, std::string("the trainer cannot be started: ") + std::strerror(errno));
  if (pid_ > 0) return;
  // Other threads may exist: only async-signal-safe calls from here on.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kExitStopped);  // the supervisor ended before the death signal was set
  execv("/proc/self/exe", argv.data());
  _exit(127);
}

TrainerProcess::~TrainerProcess() {
  if (ended_) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
}

bool TrainerProcess::ended() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

void TrainerProcess::signal(int number) {
  if (ended_) return;
  kill(pid_, number);
  // A stopped process does not see SIGTERM before it goes on.
  kill(pid_, SIGCONT);
}

void TrainerProcess::give_up() {
  given_up_ = true;
  signal(SIGKILL);
}

RankEnd TrainerProcess::end() const {
  RankEnd end;
  if (WIFSIGNALED(status_)) end.signal = WTERMSIG(status_);
  else end.code = WEXITSTATUS(status_);
  end.silent = given_up_ && end.signal == SIGKILL;
  end.out_of_memory = !given_up_ && end.signal == SIGKILL && memory_kills() > kills_before_;
  return end;
}

void end_like(const RankEnd& end) {
  std::fflush(nullptr);
  if (end.signal != 0) {
    // The trainer's memory was of interest, not this process's.
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    std::signal(end.signal, SIG_DFL);
    raise(end.signal);
  }
  _exit(end.signal != 0 ? 128 + end.signal : end.code);
}

}  // namespace ringlab
