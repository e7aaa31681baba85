// The node's CPU, memory, disk, network and watched processes, from /proc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringlab {

/// Counters since boot, in clock ticks over all CPUs.
struct CpuTimes {
  uint64_t busy = 0;
  uint64_t total = 0;
};
CpuTimes read_cpu_times();

struct MemoryInfo {
  uint64_t total = 0;
  uint64_t available = 0;
};
MemoryInfo read_memory();

double read_load1();

struct DiskInfo {
  uint64_t free = 0;  ///< available to this user
  uint64_t total = 0;
};
std::optional<DiskInfo> read_disk(const std::string& folder);

struct InterfaceCounters {
  std::string name;
  uint64_t sent = 0;
  uint64_t received = 0;
};
/// Each byte once: without interfaces whose packets another one of this machine carries and counts, as a bond or a tunnel.
std::vector<InterfaceCounters> read_network(const std::string& counters = "/proc/net/dev", const std::string& devices = "/sys/class/net");

/// One process; `start_ticks` distinguishes a process from a later one with the same id.
struct ProcessInfo {
  uint64_t cpu_ticks = 0;
  uint64_t memory_bytes = 0;
  uint64_t start_ticks = 0;
};
/// Empty if there is no such process, or if it is a zombie.
std::optional<ProcessInfo> read_process(int pid);

struct TreeProcess {
  int pid = 0;
  ProcessInfo info;
};
/// The process and its descendants, the nearest first, such as a supervisor's trainer or an agent's workers and their loaders; at most
/// kMaxTree. Empty if there is no such process.
std::vector<TreeProcess> read_tree(int pid);
constexpr size_t kMaxTree = 1024;

/// The owner of a process.
struct ProcessOwner {
  std::string user;  ///< user name, or uid if it has no name
  std::string name;  ///< of the program, as truncated by the kernel: 15 characters
};
/// Empty if the process is not visible here: on a GPU shared by containers, it may be in another one.
std::optional<ProcessOwner> read_owner(int pid);

}  // namespace ringlab
