/** Failures of CUDA and cuDNN in a training process. */
import type { Diagnosis } from './diagnosis.ts';

export const cudaDiagnoses: readonly Diagnosis[] = [
  {
    code: 'cuda.out_of_memory',
    patterns: [
      /cudaSuccess \(2 vs\. 0\)/,

      /CUDA out of memory\. Tried to allocate (?<wanted>[\d.]+ [KMG]i?B)/,
      /CUDA out of memory/,
      /(?:CUDA error|error ?=? ?2 ?): out of memory/,
      /cuda runtime error \(2\)/,
      /Cuda failure (?:\d+ )?'out of memory'/,
      /cudaErrorMemoryAllocation/,
      /CUDA_ERROR_OUT_OF_MEMORY/,
      /HIP out of memory/,
      /Failed to CUDA (?:m|c)alloc/,
      /cudaMalloc(?:Async)? failed: out of memory/,
      /\bout of memory (?:trying to|while trying to) allocate\b/,
      /\bNot enough memory on the device\b/,
      /NVML_SUCCESS == r INTERNAL ASSERT FAILED at "[^"]*CUDACachingAllocator/,
    ],
    action: 'halve_batch',
  },
  {
    code: 'cuda.driver_too_old',
    patterns: [
      /API call is not supported in the installed CUDA driver/,

      /NVIDIA driver on your system is too old \(found version (?<found>\d+)\)/,
      /CUDA driver version is insufficient for CUDA runtime version/,
      /CUDA initialization failure with error 35\b/,
      /\bcudaErrorInsufficientDriver\b/,
      /unsupported toolchain/,
      /\bfailed with error #?35\b/,
      /unsatisfied condition: cuda ?>= ?(?<wanted>[\d.]+)/,
      /please update your driver to a newer version/,
      /CUDA_ERROR_UNSUPPORTED_PTX_VERSION|cudaErrorUnsupportedPtxVersion/,
      /provided PTX was compiled with an unsupported/,
    ],
    action: 'repair_driver',
  },
  {
    code: 'cuda.architecture',
    patterns: [
      /invalid value for --gpu-architecture/,
      /no kernel image is available for execution on the device/,
      /no longer supports this GPU because it is too old/,
      /\binvalid device function\b/,
      /Unsupported gpu architecture/,
      /with CUDA capability (?<sm>sm_\d+) is not compatible with the current PyTorch installation/,
      /\bno kernel image\b.{0,40}\bavailable\b/,
      /ptxas fatal\s*: Value '(?<sm>sm_\w+)' is not defined/,
      /not compatible with the current PyTorch installation/,
      /cudaErrorNoKernelImageForDevice|CUDA_ERROR_NO_BINARY_FOR_GPU/,
      /FlashAttention only supports/,
      /CUBLAS_STATUS_ARCH_MISMATCH|CUDNN_STATUS_ARCH_MISMATCH/,
      /device kernel image is invalid/,
    ],
  },
  {
    code: 'cuda.cpu_build',
    patterns: [
      /Torch not compiled with CUDA enabled/,
      /Cannot initialize CUDA without ATen_cuda library/,
      /PyTorch is not linked with support for cuda devices/,
    ],
  },
  {
    code: 'cuda.fabric_manager',
    patterns: [
      /Error 802: system not yet initialized/,
      /\bsystem not yet initialized\b/,
      /cudaErrorSystemNotReady|CUDA_ERROR_SYSTEM_NOT_READY/,
    ],
  },
  {
    code: 'cuda.unknown_error',
    patterns: [
      /runtime error \(3\)\s*:?\s*initialization error/,

      /CUDA unknown error - this may be due to an incorrectly set up environment/,
      /cudaGetDeviceCount\(\) returned cudaErrorUnknown/,
      /CUDA (?:failure|error) 3: initialization error/,
      /CUDA error: initialization error/,
      /(?:runtime error \(30\)|error ?= ?30) ?: unknown error/,
      /CUDA error: unknown error/,
      /CUDA driver initialization failed/,
      /CUDA_ERROR_UNKNOWN|cudaErrorUnknown/,
      /\bError 999: unknown error/,
    ],
    action: 'reboot',
  },
  {
    code: 'cuda.busy',
    patterns: [
      /CUDA-capable device(?:s are|\(s\) is\/are) busy or unavailable/,
      /cudaErrorDevicesUnavailable/,
    ],
    action: 'retry',
  },
  {
    code: 'cuda.invalid_device',
    patterns: [
      /CUDA error: invalid device ordinal/,
      /Attempting to deserialize object on CUDA device (?<device>\d+)/,
      /\binvalid device ordinal\b/,
      /AssertionError: Invalid device id/,
      /cudaErrorInvalidDevice\b/,
      /But your machine only has/,
    ],
  },
  {
    code: 'cuda.device_assert',
    patterns: [
      /device-side assert triggered/,
      /cuda runtime error \((?:59|710)\)/,
      /Assertion `t >= 0 && t < n_classes` failed/,
      /\.cu:\d+:.*Assertion `.+` failed/,
      /cudaErrorAssert\b|CUDA_ERROR_ASSERT\b/,
      /IndexError: Target -?\d+ is out of bounds/,
    ],
  },
  {
    code: 'cuda.illegal_access',
    patterns: [
      /an illegal instruction was encountered/,

      /CUDA error: (?:an illegal memory access was encountered|unspecified launch failure|misaligned address)/,
      /an illegal memory access was encountered/,
      /(?:runtime error \(\d+\)|error ?= ?\d+) ?: (?:unspecified launch failure|misaligned address)/,
      /cuda runtime error \((?:4|77|700|719)\)/,
      /CUDA_ERROR_(?:ILLEGAL_ADDRESS|LAUNCH_FAILED|MISALIGNED_ADDRESS)|cudaError(?:IllegalAddress|LaunchFailure)/,
      /\bunspecified launch failure\b/,
    ],
    action: 'retry',
  },
  {
    code: 'cudnn.not_initialised',
    patterns: [
      /cublas runtime error : (?:resource allocation failed|library not initialized)/,

      /CUDNN_STATUS_(?:NOT_INITIALIZED|ALLOC_FAILED|INTERNAL_ERROR)/,
      /CUBLAS_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED)/,
      /Unable to find a valid cuDNN algorithm to run convolution/,
    ],
    action: 'halve_batch',
  },
  {
    code: 'cudnn.version',
    patterns: [
      /cuDNN version incompatibility/,
      /CUDNN_STATUS_\w*VERSION_MISMATCH/,
      /Loaded runtime CuDNN library: \S+ but source was compiled with/,
      /cuDNN version mismatch/,
    ],
  },
  {
    code: 'cudnn.failed',
    patterns: [
      /CUDNN_STATUS_(?:EXECUTION_FAILED|MAPPING_ERROR|NOT_SUPPORTED|BAD_PARAM)/,
      /CUBLAS_STATUS_(?:EXECUTION_FAILED|INVALID_VALUE|NOT_SUPPORTED|INTERNAL_ERROR)/,
      /(?:FIND|GET) was unable to find an engine to execute this computation/,
      /No valid (?:execution|engine) (?:plans|configs)/,
      /CUBLAS_STATUS_MAPPING_ERROR/,
      /cuDNN launch failure/,
    ],
  },
  {
    code: 'cuda.no_device',
    patterns: [
      /No HIP GPUs are available/,

      /Torch is not able to use GPU/,
      /no CUDA-capable device is detected/,
      /No CUDA GPUs are available/,
      /Attempting to deserialize object on a CUDA device but torch\.cuda\.is_available\(\) is False/,
      /no GPUs found!/,
      /CUDA_ERROR_NO_DEVICE|cudaErrorNoDevice/,
      /No CUDA devices (?:are )?(?:found|available)/,
    ],
  },
  {
    code: 'device.wrong_results',
    patterns: [
      /^the (?<what>convolution's gradient|convolution|all-reduce) is wrong by/,
      /of memory do not hold what was written/,
    ],
  },
  {
    code: 'cuda.launch_timeout',
    patterns: [/the launch timed out and was terminated/, /cudaErrorLaunchTimeout/],
    action: 'halve_batch',
  },
  {
    code: 'cuda.precision',
    patterns: [
      /(?:setup|GPU|device|hardware)\b.{0,40}(?:doesn't|does not|don't) support (?:bf16|bfloat16|fp8|fp16)/,
      /\b(?:bf16|bfloat16|fp8|fp16)\b.{0,40}\b(?:is|are) (?:only|not) supported (?:on|by|for)\b/,
    ],
  },
];
