// This rank's device: the CPU or one CUDA device.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

#include "launch/launch.h"

namespace ringlab {

/// Capabilities of this libtorch build and this machine. Counts GPUs without creating a CUDA context.
Capabilities capabilities();

/// Makes the launch's device the calling thread's current one and returns it.
at::Device enter_device(const Launch& launch);

/// "NVIDIA H200"; "" for the CPU and if unknown.
std::string device_name(at::Device device);

/// Bytes of memory in use: a GPU's as counted by libtorch's allocator, else the process's resident memory.
int64_t memory_in_use(at::Device device);

}  // namespace ringlab
