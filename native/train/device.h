// What this rank computes on: the CPU or one CUDA device.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

#include "launch/launch.h"

namespace ringlab {

/// What this build of libtorch and this machine can do. Counts GPUs, and starts no CUDA context.
Capabilities capabilities();

/// Makes the launch's device the calling thread's current one and returns it.
at::Device enter_device(const Launch& launch);

/// "NVIDIA H200"; "" for the CPU and where the build does not know.
std::string device_name(at::Device device);

/// Bytes of memory in use: a GPU's as libtorch's allocator counts them, else the process's resident ones.
int64_t memory_in_use(at::Device device);

}  // namespace ringlab
