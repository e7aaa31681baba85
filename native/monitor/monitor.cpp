#include "monitor/monitor.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <thread>

#include "base/arguments.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file_text.h"
#include "base/metrics.h"
#include "base/numbers.h"
#include "base/stop_signal.h"
#include "monitor/limits.h"
#include "monitor/nvml.h"
#include "monitor/system.h"

namespace ringlab {
namespace {

constexpr double kPidFileWait = 60;  ///< seconds
constexpr int kMaxPid = 4194304;     ///< of a 64-bit Linux
constexpr size_t kMaxListed = 64;    ///< descendants of a process that a line names, the nearest: workers come before their loaders

struct Settings {
  std::string metrics;
  double interval = 1;
  std::vector<int> pids;
  std::vector<std::string> pid_files;
  std::string disk;
};

Settings parse(const std::vector<std::string>& arguments) {
  Settings settings;
  parse_arguments("monitor", arguments,
                  {text_row("--metrics", settings.metrics),
                   number_row("--interval", settings.interval, 0.05, 3600, " seconds"),
                   {"--watch-pid", true,
                    [&](const std::string& given, const std::string& value) {
                      const auto pid = number_of<int>(value);
                      if (!pid || *pid < 1 || *pid > kMaxPid) throw Failure(ErrorCode::usage, given + ": not a process id");
                      settings.pids.push_back(*pid);
                    }},
                   {"--watch-pid-file", true, [&](const std::string&, const std::string& value) { settings.pid_files.push_back(value); }},
                   text_row("--disk", settings.disk)});
  return settings;
}

/// A watched process, identified by pid and start time, as a pid may be reused.
struct Watched {
  uint64_t start_ticks = 0;
  bool seen = false;
  bool gone = false;
  std::map<int, ProcessInfo> tree;  ///< it and its descendants in the sample before
};

/// Clock ticks since boot, as in the start of a process.
uint64_t boot_ticks() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint64_t>((static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec)) * static_cast<double>(sysconf(_SC_CLK_TCK)));
}

class Sampler {
 public:
  explicit Sampler(const Settings& settings) : settings_(settings), started_(steady_seconds()), cpu_(read_cpu_times()), sampled_(started_), sampled_ticks_(boot_ticks()) {
    for (const int pid : settings.pids) look_at(pid);
  }

  /// Were there processes to watch, and have all ended?
  bool all_gone() {
    for (const auto& path : settings_.pid_files) {
      const int pid = pid_in_file(path);
      if (pid > 0) {
        if (found_[path] != pid) look_at(found_[path] = pid);
      } else if (steady_seconds() - started_ < kPidFileWait) {
        return false;  // not written yet
      }
    }
    if (settings_.pids.empty() && settings_.pid_files.empty()) return false;
    for (auto& [pid, watched] : watched_) {
      const auto info = read_process(pid);
      if (!info || (watched.seen && info->start_ticks != watched.start_ticks)) watched.gone = true;
      if (!watched.gone) return false;
    }
    return true;
  }

  JsonObject sample(const Nvml* nvml) {
    const double time = steady_seconds();
    const double seconds = std::max(1e-3, time - sampled_);
    sampled_ = time;
    const CpuTimes cpu = read_cpu_times();
    const double busy = static_cast<double>(cpu.busy - cpu_.busy);
    const double total = static_cast<double>(cpu.total - cpu_.total);
    cpu_ = cpu;
    MemoryInfo memory = read_memory();
    if (const auto limited = read_memory_limit(); limited && limited->total < memory.total) memory = *limited;
    double cpus = std::thread::hardware_concurrency();
    if (const auto limit = read_cpu_limit()) cpus = std::min(cpus, *limit);
    JsonObject line;
    line.add("cpu_percent", total > 0 ? std::clamp(100 * busy / total, 0.0, 100.0) : 0.0);
    line.add("cpus", cpus).add("load1", read_load1());
    line.add("memory_used_bytes", memory.total - memory.available).add("memory_total_bytes", memory.total);
    if (!settings_.disk.empty()) {
      if (const auto disk = read_disk(settings_.disk)) line.add("disk_free_bytes", disk->free).add("disk_total_bytes", disk->total);
    }
    std::vector<std::string> network;
    for (const auto& interface : read_network()) {
      network.push_back(JsonObject().add("name", interface.name).add("bytes_sent", interface.sent).add("bytes_received", interface.received).str());
    }
    line.add_raw("network", json_array(network));
    line.add_raw("processes", json_array(processes(seconds)));
    std::vector<std::string> gpus;
    if (nvml != nullptr) {
      for (const auto& gpu : nvml->sample()) gpus.push_back(gpu_json(gpu));
    }
    line.add_raw("gpus", json_array(gpus));
    return line;
  }

 private:
  void look_at(int pid) {
    Watched watched;
    remember(watched, read_tree(pid));
    watched_[pid] = watched;
  }

  static void remember(Watched& watched, const std::vector<TreeProcess>& tree) {
    if (tree.empty()) return;
    watched.seen = true;
    watched.start_ticks = tree.front().info.start_ticks;
    watched.tree.clear();
    for (const auto& [pid, info] : tree) watched.tree[pid] = info;
  }

  /// Since the sample before. Of a process that was not in it only what it has used since then is known, and only if it started later.
  uint64_t ticks_used(const Watched& watched, const TreeProcess& process) const {
    const ProcessInfo& now = process.info;
    const auto before = watched.tree.find(process.pid);
    if (before != watched.tree.end() && before->second.start_ticks == now.start_ticks) return now.cpu_ticks - std::min(now.cpu_ticks, before->second.cpu_ticks);
    return watched.seen && now.start_ticks >= sampled_ticks_ ? now.cpu_ticks : 0;
  }

  std::vector<std::string> processes(double seconds) {
    std::vector<std::string> list;
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    const uint64_t now = boot_ticks();
    for (auto& [pid, watched] : watched_) {
      const auto tree = read_tree(pid);
      if (tree.empty() || watched.gone || (watched.seen && tree.front().info.start_ticks != watched.start_ticks)) continue;
      uint64_t used = 0;
      uint64_t memory = 0;
      std::vector<std::string> descendants;
      for (const auto& process : tree) {
        used += ticks_used(watched, process);
        memory += process.info.memory_bytes;
        if (process.pid != pid && descendants.size() < kMaxListed) descendants.push_back(std::to_string(process.pid));
      }
      remember(watched, tree);
      JsonObject line;
      line.add("pid", pid).add("cpu_percent", 100 * static_cast<double>(used) / ticks / seconds).add("memory_bytes", memory);
      if (!descendants.empty()) line.add_raw("descendants", json_array(descendants));
      list.push_back(line.str());
    }
    sampled_ticks_ = now;
    return list;
  }

  static std::string process_json(const GpuProcess& process) {
    JsonObject out;
    out.add("pid", static_cast<int64_t>(process.pid)).add("memory_bytes", process.memory_bytes);
    if (const auto owner = read_owner(static_cast<int>(process.pid))) out.add("user", owner->user).add("name", owner->name);
    return out.str();
  }

  static std::string gpu_json(const GpuSample& gpu) {
    JsonObject out;
    out.add("index", static_cast<int64_t>(gpu.index)).add("uuid", gpu.uuid).add("name", gpu.name);
    if (gpu.utilization_percent) out.add("utilization_percent", static_cast<int64_t>(*gpu.utilization_percent));
    if (gpu.memory_used_bytes) out.add("memory_used_bytes", *gpu.memory_used_bytes);
    if (gpu.memory_total_bytes) out.add("memory_total_bytes", *gpu.memory_total_bytes);
    if (gpu.power_watts) out.add("power_watts", *gpu.power_watts);
    if (gpu.temperature_celsius) out.add("temperature_celsius", static_cast<int64_t>(*gpu.temperature_celsius));
    if (gpu.sm_clock_mhz) out.add("sm_clock_mhz", static_cast<int64_t>(*gpu.sm_clock_mhz));
    std::vector<std::string> list;
    for (const auto& process : gpu.processes) list.push_back(process_json(process));
    return out.add_raw("processes", json_array(list)).str();
  }

  const Settings& settings_;
  double started_;
  CpuTimes cpu_;
  double sampled_;
  uint64_t sampled_ticks_;
  std::map<int, Watched> watched_;
  std::map<std::string, int> found_;
};

/// Sleeps in short intervals; false after a signal.
bool sleep_until(double deadline) {
  while (steady_seconds() < deadline) {
    if (stop_requested()) return false;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::clamp(deadline - steady_seconds(), 0.0, 0.1)));
  }
  return !stop_requested();
}

}  // namespace

int pid_in_file(const std::string& path) {
  const std::string text = file_text(path);
  size_t at = text.find("\"pid\"");
  at = at == std::string::npos ? 0 : at + 5;
  at = text.find_first_of("0123456789", at);
  int pid = 0;
  if (at != std::string::npos) std::from_chars(text.data() + at, text.data() + text.size(), pid);
  return pid;
}

int monitor_command(const std::vector<std::string>& arguments) {
  const Settings settings = parse(arguments);
  MetricsFile metrics(settings.metrics.empty() ? "/dev/stdout" : settings.metrics);
  std::string reason;
  const auto nvml = Nvml::open(reason);
  if (!nvml) {
    metrics.write("warning", JsonObject().add("code", "no_nvml").add("message", "no GPU is sampled: " + reason).add("hint", "nothing to do on a machine without an NVIDIA GPU"));
  }
  Sampler sampler(settings);
  double next = steady_seconds();
  while (true) {
    next = std::max(steady_seconds(), next + settings.interval);
    if (!sleep_until(next)) return 0;
    const bool gone = sampler.all_gone();
    metrics.write("sample", sampler.sample(nvml.get()));
    if (gone) return 0;
  }
}

}  // namespace ringlab
