#include "monitor/system.h"

#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

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

std::vector<InterfaceCounters> read_network() {
  std::ifstream file("/proc/net/dev");
  std::vector<InterfaceCounters> interfaces;
  std::string line;
  while (std::getline(file, line)) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;  // the two header lines
    InterfaceCounters counters;
    const size_t start = line.find_first_not_of(' ');
    counters.name = line.substr(start, colon - start);
    std::istringstream numbers(line.substr(colon + 1));
    uint64_t value = 0;
    for (int i = 0; i < 9 && numbers >> value; ++i) {
      if (i == 0) counters.received = value;
      if (i == 8) counters.sent = value;
    }
    interfaces.push_back(std::move(counters));
  }
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

std::optional<ProcessInfo> read_with_children(int pid) {
  auto info = read_process(pid);
  if (!info) return info;
  const std::string process = std::to_string(pid);
  std::istringstream children(file_text("/proc/" + process + "/task/" + process + "/children"));
  for (int child = 0; children >> child;) {
    const auto own = read_process(child);
    if (!own) continue;
    info->cpu_ticks += own->cpu_ticks;
    info->memory_bytes += own->memory_bytes;
  }
  return info;
}

}  // namespace ringlab
