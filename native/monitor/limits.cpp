#include "monitor/limits.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <vector>

namespace ringlab {
namespace {

/// The groups that limit the process by a controller.
struct Groups {
  bool is_first_version = false;
  std::vector<std::string> folders;  ///< its own first, then those around it
};

Groups groups_of(const std::string& controller, const ControlGroupFiles& files) {
  Groups groups;
  std::string path = "/";
  std::ifstream own(files.own);
  std::string line;
  // `4:cpu,cpuacct:/path` of version 1, `0::/path` of version 2.
  while (std::getline(own, line)) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool names_it = controllers.find("," + controller + ",") != std::string::npos;
    if (!names_it && (controllers != ",," || groups.is_first_version)) continue;
    groups.is_first_version = names_it;
    path = line.substr(second + 1);
  }
  const std::string root = groups.is_first_version ? files.root + "/" + controller : files.root;
  // Outside the root of the process's namespace; a group that cannot be seen here limits nothing that is known.
  if (path.find("/..") != std::string::npos) path = "/";
  // A container without a namespace of its own has the machine's path, and its own group as the root: the folders below that are not there.
  while (path.size() > 1) {
    groups.folders.push_back(root + path);
    path.resize(std::max<size_t>(path.rfind('/'), 1));
  }
  groups.folders.push_back(root);
  return groups;
}

template <typename Number>
std::optional<Number> number_in(const std::string& path) {
  std::ifstream file(path);
  Number number{};
  if (!(file >> number)) return std::nullopt;  // `max`, or no such file
  return number;
}

/// Of a group and those in it.
uint64_t inactive_files(const std::string& folder, bool is_first_version) {
  std::ifstream file(folder + "/memory.stat");
  std::string name;
  uint64_t bytes = 0;
  while (file >> name >> bytes) {
    if (name == (is_first_version ? "total_inactive_file" : "inactive_file")) return bytes;
  }
  return 0;
}

std::optional<double> cpus_in(const std::string& folder, bool is_first_version) {
  std::optional<double> quota;
  std::optional<double> period;
  if (is_first_version) {
    quota = number_in<double>(folder + "/cpu.cfs_quota_us");
    period = number_in<double>(folder + "/cpu.cfs_period_us");
  } else {
    std::ifstream file(folder + "/cpu.max");
    double first = 0;
    double second = 0;
    if (file >> first >> second) {
      quota = first;
      period = second;
    }
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

}  // namespace

std::optional<MemoryInfo> read_memory_limit(const ControlGroupFiles& files) {
  const Groups groups = groups_of("memory", files);
  std::optional<uint64_t> lowest;
  std::string limited;
  for (const auto& folder : groups.folders) {
    const auto limit = number_in<uint64_t>(folder + (groups.is_first_version ? "/memory.limit_in_bytes" : "/memory.max"));
    // Of equal limits the outer one: it has the memory of more processes.
    if (!limit || (lowest && *limit > *lowest)) continue;
    lowest = limit;
    limited = folder;
  }
  if (!lowest) return std::nullopt;
  const auto used = number_in<uint64_t>(limited + (groups.is_first_version ? "/memory.usage_in_bytes" : "/memory.current"));
  if (!used) return std::nullopt;
  const uint64_t held = *used - std::min(*used, inactive_files(limited, groups.is_first_version));
  return MemoryInfo{*lowest, *lowest - std::min(*lowest, held)};
}

std::optional<double> read_cpu_limit(const ControlGroupFiles& files) {
  const Groups groups = groups_of("cpu", files);
  std::optional<double> lowest;
  for (const auto& folder : groups.folders) {
    const auto cpus = cpus_in(folder, groups.is_first_version);
    if (cpus && (!lowest || *cpus < *lowest)) lowest = cpus;
  }
  return lowest;
}

}  // namespace ringlab
