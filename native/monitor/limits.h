// What control groups leave this process of its machine: a container's, a pod's or a job's limits.
#pragma once

#include <optional>
#include <string>

#include "monitor/system.h"

namespace ringlab {

struct ControlGroupFiles {
  std::string own = "/proc/self/cgroup";
  std::string root = "/sys/fs/cgroup";
};

/// Of the groups that the process is in the lowest limit, and what their processes leave of it, without the files in memory that the kernel gives up first. Empty without a limit.
std::optional<MemoryInfo> read_memory_limit(const ControlGroupFiles& files = {});

/// The time of how many CPUs their processes may use; empty without a limit.
std::optional<double> read_cpu_limit(const ControlGroupFiles& files = {});

}  // namespace ringlab
