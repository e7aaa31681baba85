// A stand-in for libnvidia-ml.so.1: one GPU, used by the process RINGLAB_STAND_IN_PID and by one that is not visible here. With
// RINGLAB_STAND_IN_MIG it does not report its utilisation and memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};

int fill(char* into, unsigned size, const char* text) {
  std::snprintf(into, size, "%s", text);
  return 0;
}

bool reports() { return std::getenv("RINGLAB_STAND_IN_MIG") == nullptr; }
constexpr int kNotSupported = 3;

}  // namespace

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned, void** device) {
  *device = nullptr;
  return 0;
}
int nvmlDeviceGetName(void*, char* into, unsigned size) { return fill(into, size, "Stand-in GPU"); }
int nvmlDeviceGetUUID(void*, char* into, unsigned size) { return fill(into, size, "GPU-0"); }
int nvmlDeviceGetUtilizationRates(void*, Utilization* into) {
  if (!reports()) return kNotSupported;
  *into = {71, 30};
  return 0;
}
int nvmlDeviceGetMemoryInfo(void*, Memory* into) {
  if (!reports()) return kNotSupported;
  *into = {1000, 400, 600};
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* into) {
  if (*count < 2) return 7;
  *count = 2;
  into[0] = {static_cast<unsigned>(std::atoi(std::getenv("RINGLAB_STAND_IN_PID"))), 500, 0, 0};
  into[1] = {4194303, ~0ULL, 0, 0};
  return 0;
}
}
