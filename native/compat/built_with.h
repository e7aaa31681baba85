// CUDA and NCCL versions of the build, from macros of their headers, so that callers do not need libtorch.
#pragma once

#include <string>

#ifdef RINGLAB_CUDA_HEADERS
#include <cuda.h>
#endif

#ifdef USE_C10D_NCCL
#include <nccl.h>
#endif

namespace ringlab::compat {

/// "12.4"; "unknown" if a libtorch for CUDA was used without the toolkit's headers; "" for a CPU libtorch.
inline std::string cuda_version() {
#if defined(RINGLAB_CUDA_HEADERS)
  return std::to_string(CUDA_VERSION / 1000) + "." + std::to_string(CUDA_VERSION % 1000 / 10);
#elif defined(RINGLAB_TORCH_CUDA)
  return "unknown";
#else
  return "";
#endif
}

/// "2.22.3"; "" without NCCL.
inline std::string nccl_version() {
#ifdef USE_C10D_NCCL
  return std::to_string(NCCL_MAJOR) + "." + std::to_string(NCCL_MINOR) + "." + std::to_string(NCCL_PATCH);
#else
  return "";
#endif
}

}  // namespace ringlab::compat
