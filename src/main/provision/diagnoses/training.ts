/** Failures of CUDA, cuDNN and PyTorch in a training process. */
import type { Diagnosis } from './diagnosis.ts';

export const trainingDiagnoses: readonly Diagnosis[] = [
  {
    code: 'cuda.out_of_memory',
    patterns: [
      /CUDA out of memory\. Tried to allocate (?<wanted>[\d.]+ [KMG]i?B)/,
      /CUDA out of memory/,
      /cudaErrorMemoryAllocation/,
    ],
    action: 'halve_batch',
  },
  {
    code: 'cuda.driver_too_old',
    patterns: [
      /NVIDIA driver on your system is too old \(found version (?<found>\d+)\)/,
      /CUDA driver version is insufficient for CUDA runtime version/,
      /unsupported toolchain/,
    ],
    action: 'repair_driver',
  },
  {
    code: 'cuda.architecture',
    patterns: [
      /no kernel image is available for execution on the device/,
      /with CUDA capability (?<sm>sm_\d+) is not compatible with the current PyTorch installation/,
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
    patterns: [/Error 802: system not yet initialized/],
  },
  {
    code: 'cuda.unknown_error',
    patterns: [
      /CUDA unknown error - this may be due to an incorrectly set up environment/,
      /cudaGetDeviceCount\(\) returned cudaErrorUnknown/,
    ],
    action: 'reboot',
  },
  {
    code: 'cuda.busy',
    patterns: [/all CUDA-capable devices are busy or unavailable/],
    action: 'retry',
  },
  {
    code: 'cuda.invalid_device',
    patterns: [
      /CUDA error: invalid device ordinal/,
      /Attempting to deserialize object on CUDA device (?<device>\d+)/,
    ],
  },
  {
    code: 'cuda.device_assert',
    patterns: [/CUDA error: device-side assert triggered/, /Assertion `t >= 0 && t < n_classes` failed/],
  },
  {
    code: 'cuda.illegal_access',
    patterns: [/CUDA error: an illegal memory access was encountered/],
    action: 'retry',
  },
  {
    code: 'cudnn.not_initialised',
    patterns: [/CUDNN_STATUS_NOT_INITIALIZED/, /CUBLAS_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED)/],
    action: 'halve_batch',
  },
  {
    code: 'checkpoint.size_mismatch',
    patterns: [
      /size mismatch for (?<parameter>\S+): copying a param with shape/,
      /Missing key\(s\) in state_dict/,
    ],
  },
  {
    code: 'checkpoint.damaged',
    patterns: [
      /PytorchStreamReader failed reading (?:zip archive|file)/,
      /UnpicklingError: (?:pickle data was truncated|invalid load key)/,
    ],
  },
  {
    code: 'checkpoint.weights_only',
    patterns: [/Weights only load failed/],
  },
  {
    code: 'data.no_classes',
    patterns: [
      /Couldn't find any class folder in (?<path>\S+?)\.?$/,
      /Found no valid file for the classes (?<classes>.+?)\. Supported/,
    ],
  },
  {
    code: 'data.broken_image',
    patterns: [
      /UnidentifiedImageError: cannot identify image file (?<path>.+)$/,
      /OSError: image file is truncated/,
      /broken data stream when reading image file/,
    ],
  },
  {
    code: 'device.wrong_results',
    patterns: [
      /^the (?<what>convolution's gradient|convolution|all-reduce) is wrong by/,
      /of memory do not hold what was written/,
    ],
  },
];
