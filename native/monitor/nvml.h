// NVIDIA's management library, loaded at run time: it is optional.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ringlab {

struct GpuProcess {
  unsigned pid = 0;
  uint64_t memory_bytes = 0;
};

struct GpuSample {
  unsigned index = 0;
  std::string uuid;
  std::string name;
  // What the GPU does not report, as one in MIG mode its utilisation, is no 0.
  std::optional<unsigned> utilization_percent;
  std::optional<uint64_t> memory_used_bytes;
  std::optional<uint64_t> memory_total_bytes;
  std::optional<double> power_watts;
  std::optional<unsigned> temperature_celsius;
  std::optional<unsigned> sm_clock_mhz;
  std::vector<GpuProcess> processes;
};

class Nvml {
 public:
  /// Null if the library is missing or fails to initialise; `reason` receives the cause.
  static std::unique_ptr<Nvml> open(std::string& reason);
  virtual ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::vector<GpuSample> sample() const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
};

}  // namespace ringlab
