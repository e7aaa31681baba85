#include "train/device/device.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>
#include <unistd.h>

#include <fstream>

#include "comm/collectives/communicator.h"
#include "compat/cuda_device.h"

namespace ringlab {

Capabilities capabilities() {
  Capabilities result;
  result.cuda = compat::libtorch_has_cuda();
  result.gpus = result.cuda ? static_cast<int>(torch::cuda::device_count()) : 0;
  result.nccl = communicator_has_nccl();
  result.graphs = compat::StepGraph::available();
  return result;
}

at::Device enter_device(const Launch& launch) {
  if (launch.gpu < 0) return at::kCPU;
  const at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(launch.gpu));
  c10::impl::VirtualGuardImpl(at::kCUDA).setDevice(device);
  return device;
}

std::string device_name(at::Device device) { return device.is_cuda() ? compat::cuda_device_name(device.index()) : ""; }

int64_t memory_in_use(at::Device device) {
  if (device.is_cuda()) {
    const int64_t allocated = compat::cuda_allocated_bytes(device.index());
    if (allocated >= 0) return allocated;
  }
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0;
  int64_t resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace ringlab
