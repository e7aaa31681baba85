#include "monitor/system.h"

#include <linux/if_tun.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "base/file_text.h"

namespace ringlab {

CpuTimes read_cpu_times() {
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  CpuTimes times;
  uint64_t value = 0;
  // user nice system idle iowait irq softirq steal; user includes guest times.
  for (int i = 0; i < 8 && file >> value; ++i) {
    times.total += value;
    if (i != 3 && i != 4) times.busy += value;
  }
  return times;
}

MemoryInfo read_memory() {
  std::ifstream file("/proc/meminfo");
  MemoryInfo info;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    uint64_t kilobytes = 0;
    words >> name >> kilobytes;
    if (name == "MemTotal:") info.total = kilobytes * 1024;
    if (name == "MemAvailable:") info.available = kilobytes * 1024;
  }
  return info;
}

double read_load1() {
  std::ifstream file("/proc/loadavg");
  double load = 0;
  file >> load;
  return load;
}

std::optional<DiskInfo> read_disk(const std::string& folder) {
  struct statvfs info {};
  if (statvfs(folder.c_str(), &info) != 0) return std::nullopt;
  return DiskInfo{uint64_t{info.f_bavail} * info.f_frsize, uint64_t{info.f_blocks} * info.f_frsize};
}

namespace {

/// Does another interface carry its packets, and count them, too? `device` is its folder, which is not there for an interface of a network namespace
/// that was entered without its /sys, as local nodes' are.
bool counted_elsewhere(const std::string& device) {
  std::error_code error;
  bool is_port = false;
  bool is_hardware = false;
  for (std::filesystem::directory_iterator entry(device, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.rfind("lower_", 0) == 0) return true;  // a bond, a bridge, a VLAN: of the interfaces below
    if (name == "brport") is_port = true;
    if (name == "device") is_hardware = true;
  }
  // The host's end of a container or virtual machine: what leaves the machine, the bridge's card counts.
  if (is_port && !is_hardware) return true;
  // Tunnels send what they are given in packets through another interface. TAP devices stay: an emulated link ends in one, a container may have no other.
  if (file_text(device + "/uevent").find("DEVTYPE=wireguard\n") != std::string::npos) return true;
  unsigned flags = 0;
  const bool is_tun_or_tap = static_cast<bool>(std::ifstream(device + "/tun_flags") >> std::hex >> flags);
  return is_tun_or_tap && (flags & IFF_TUN) != 0 && (flags & IFF_TAP) == 0;
}

}  // namespace

std::vector<InterfaceCounters> read_network(const std::string& counters, const std::string& devices) {
  std::ifstream file(counters);
  std::vector<InterfaceCounters> interfaces;
  std::vector<InterfaceCounters> others;
  bool is_outside_counted = false;
  std::string line;
  while (std::getline(file, line)) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;  // the two header lines
    InterfaceCounters interface;
    const size_t start = line.find_first_not_of(' ');
    interface.name = line.substr(start, colon - start);
    std::istringstream numbers(line.substr(colon + 1));
    uint64_t value = 0;
    for (int i = 0; i < 9 && numbers >> value; ++i) {
      if (i == 0) interface.received = value;
      if (i == 8) interface.sent = value;
    }
    if (counted_elsewhere(devices + "/" + interface.name)) {
      others.push_back(std::move(interface));
      continue;
    }
    is_outside_counted = is_outside_counted || interface.name != "lo";
    interfaces.push_back(std::move(interface));
  }
  // A sandbox may have a tunnel alone.
  if (!is_outside_counted) interfaces.insert(interfaces.end(), others.begin(), others.end());
  return interfaces;
}

std::optional<ProcessOwner> read_owner(int pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0) return std::nullopt;
  ProcessOwner owner;
  std::ifstream file(folder + "/comm");
  std::getline(file, owner.name);
  struct passwd entry {};
  struct passwd* found = nullptr;
  std::vector<char> buffer(4096);
  const bool known = getpwuid_r(info.st_uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  owner.user = known ? found->pw_name : std::to_string(info.st_uid);
  return owner;
}

std::optional<ProcessInfo> read_process(int pid) {
  const std::string text = file_text("/proc/" + std::to_string(pid) + "/stat");
  // The name in brackets may contain anything: the fields start after the last bracket.
  const size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(bracket + 1));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  ProcessInfo info;
  std::string skipped;
  for (int i = 4; i <= 13; ++i) fields >> skipped;
  uint64_t user = 0;
  uint64_t system = 0;
  fields >> user >> system;  // fields 14 and 15
  info.cpu_ticks = user + system;
  for (int i = 16; i <= 21; ++i) fields >> skipped;
  uint64_t virtual_bytes = 0;
  uint64_t pages = 0;
  fields >> info.start_ticks >> virtual_bytes >> pages;  // fields 22, 23, 24
  info.memory_bytes = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return info;
}

namespace {

constexpr int kMaxTasks = 4096;  ///< of a process

/// Any thread may have started a child: the kernel lists them by thread.
std::vector<int> children_of(int pid) {
  std::vector<int> children;
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  std::error_code error;
  int tasks = 0;
  // The folder, or a thread in it, may be gone at any time.
  for (std::filesystem::directory_iterator task(folder, error), end; !error && task != end && tasks < kMaxTasks; task.increment(error), ++tasks) {
    std::istringstream list(file_text(task->path().string() + "/children"));
    for (int child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

}  // namespace

std::vector<TreeProcess> read_tree(int pid) {
  std::vector<TreeProcess> tree;
  std::set<int> seen;
  const auto take = [&](int one) {
    if (tree.size() >= kMaxTree || !seen.insert(one).second) return;
    if (const auto info = read_process(one)) tree.push_back({one, *info});
  };
  take(pid);
  for (size_t i = 0; i < tree.size(); ++i) {
    for (const int child : children_of(tree[i].pid)) take(child);
  }
  return tree;
}

}  // namespace ringlab
