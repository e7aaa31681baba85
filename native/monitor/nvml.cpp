#include "monitor/nvml.h"

#include <dlfcn.h>

namespace ringlab {
namespace {

// The few types of nvml.h that are used; their layout is NVML's stable ABI.
using Device = struct DeviceHandle*;
using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kInsufficientSize = 7;

struct Utilization {
  unsigned gpu;
  unsigned memory;
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct ProcessInfoV2 {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

}  // namespace

struct Nvml::Functions {
  void* library = nullptr;
  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  Result (*count)(unsigned*) = nullptr;
  Result (*handle)(unsigned, Device*) = nullptr;
  Result (*name)(Device, char*, unsigned) = nullptr;
  Result (*uuid)(Device, char*, unsigned) = nullptr;
  Result (*utilization)(Device, Utilization*) = nullptr;
  Result (*memory)(Device, Memory*) = nullptr;
  Result (*power)(Device, unsigned*) = nullptr;
  Result (*temperature)(Device, int, unsigned*) = nullptr;
  Result (*clock)(Device, int, unsigned*) = nullptr;
  Result (*processes)(Device, unsigned*, ProcessInfoV2*) = nullptr;

  template <typename Function>
  bool find(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    return function != nullptr;
  }
  ~Functions() {
    if (library != nullptr) dlclose(library);
  }
};

Nvml::Nvml(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}

Nvml::~Nvml() { functions_->shutdown(); }

std::unique_ptr<Nvml> Nvml::open(std::string& reason) {
  auto functions = std::make_unique<Functions>();
  Functions& f = *functions;
  f.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (f.library == nullptr) {
    reason = "libnvidia-ml.so.1 is not on this machine";
    return nullptr;
  }
  const bool complete = f.find(f.init, "nvmlInit_v2") && f.find(f.shutdown, "nvmlShutdown") && f.find(f.count, "nvmlDeviceGetCount_v2") &&
                        f.find(f.handle, "nvmlDeviceGetHandleByIndex_v2") && f.find(f.name, "nvmlDeviceGetName") && f.find(f.uuid, "nvmlDeviceGetUUID") &&
                        f.find(f.utilization, "nvmlDeviceGetUtilizationRates") && f.find(f.memory, "nvmlDeviceGetMemoryInfo");
  if (!complete) {
    reason = "libnvidia-ml.so.1 lacks a function that every version since 2014 has";
    return nullptr;
  }
  f.find(f.power, "nvmlDeviceGetPowerUsage");
  f.find(f.temperature, "nvmlDeviceGetTemperature");
  f.find(f.clock, "nvmlDeviceGetClockInfo");
  if (!f.find(f.processes, "nvmlDeviceGetComputeRunningProcesses_v3")) f.find(f.processes, "nvmlDeviceGetComputeRunningProcesses_v2");
  const Result result = f.init();
  if (result != kSuccess) {
    reason = "NVML does not start (code " + std::to_string(result) + "): is the driver loaded, and of the library's version?";
    return nullptr;
  }
  struct Made : Nvml {  // makes the private constructor reachable for make_unique
    explicit Made(std::unique_ptr<Functions> made) : Nvml(std::move(made)) {}
  };
  return std::make_unique<Made>(std::move(functions));
}

std::vector<GpuSample> Nvml::sample() const {
  const Functions& f = *functions_;
  std::vector<GpuSample> gpus;
  unsigned count = 0;
  if (f.count(&count) != kSuccess) return gpus;
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    if (f.handle(index, &device) != kSuccess) continue;  // for instance lost from the bus
    GpuSample gpu;
    gpu.index = index;
    char text[96] = "";
    if (f.name(device, text, sizeof text) == kSuccess) gpu.name = text;
    if (f.uuid(device, text, sizeof text) == kSuccess) gpu.uuid = text;
    Utilization utilization{};
    if (f.utilization(device, &utilization) == kSuccess) gpu.utilization_percent = utilization.gpu;
    Memory memory{};
    if (f.memory(device, &memory) == kSuccess) {
      gpu.memory_used_bytes = memory.used;
      gpu.memory_total_bytes = memory.total;
    }
    unsigned value = 0;
    if (f.power != nullptr && f.power(device, &value) == kSuccess) gpu.power_watts = value / 1000.0;
    if (f.temperature != nullptr && f.temperature(device, 0, &value) == kSuccess) gpu.temperature_celsius = value;
    if (f.clock != nullptr && f.clock(device, 1, &value) == kSuccess) gpu.sm_clock_mhz = value;
    if (f.processes != nullptr) {
      std::vector<ProcessInfoV2> list(64);
      auto length = static_cast<unsigned>(list.size());
      Result result = f.processes(device, &length, list.data());
      if (result == kInsufficientSize) {
        list.resize(length + 16);
        length = static_cast<unsigned>(list.size());
        result = f.processes(device, &length, list.data());
      }
      for (unsigned i = 0; result == kSuccess && i < length && i < list.size(); ++i) {
        const bool known = list[i].used_memory != ~0ULL;  // not available inside some containers
        gpu.processes.push_back({list[i].pid, known ? list[i].used_memory : 0});
      }
    }
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace ringlab
