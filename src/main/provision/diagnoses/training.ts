/** Failures of CUDA, cuDNN and PyTorch in a training process. */
import type { Diagnosis } from './diagnosis.ts';

export const trainingDiagnoses: readonly Diagnosis[] = [
  {
    code: 'cuda.out_of_memory',
    patterns: [
      /CUDA out of memory\. Tried to allocate (?<wanted>[\d.]+ [KMG]i?B)/,
      /CUDA out of memory/,
      /(?:CUDA error|error ?=? ?2 ?): out of memory/i,
      /cuda runtime error \(2\)/,
      /Cuda failure (?:\d+ )?'out of memory'/,
      /cudaErrorMemoryAllocation/,
    ],
    action: 'halve_batch',
  },
  {
    code: 'cuda.driver_too_old',
    patterns: [
      /NVIDIA driver on your system is too old \(found version (?<found>\d+)\)/,
      /CUDA driver version is insufficient for CUDA runtime version/,
      /CUDA initialization failure with error 35\b/,
      /\bcudaErrorInsufficientDriver\b/,
      /unsupported toolchain/,
    ],
    action: 'repair_driver',
  },
  {
    code: 'cuda.architecture',
    patterns: [
      /no kernel image is available for execution on the device/,
      /no longer supports this GPU because it is too old/,
      /\binvalid device function\b/,
      /Unsupported gpu architecture/,
      /with CUDA capability (?<sm>sm_\d+) is not compatible with the current PyTorch installation/,
    ],
  },
  {
    code: 'cuda.cpu_build',
    patterns: [
      /Torch not compiled with CUDA enabled/i,
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
      /CUDA (?:failure|error) 3: initialization error/,
      /CUDA error: initialization error/,
      /(?:runtime error \(30\)|error ?= ?30) ?: unknown error/,
      /CUDA error: unknown error/,
      /CUDA driver initialization failed/,
    ],
    action: 'reboot',
  },
  {
    code: 'cuda.busy',
    patterns: [/CUDA-capable device(?:s are|\(s\) is\/are) busy or unavailable/],
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
    patterns: [
      /device-side assert triggered/,
      /cuda runtime error \((?:59|710)\)/,
      /Assertion `t >= 0 && t < n_classes` failed/,
    ],
  },
  {
    code: 'cuda.illegal_access',
    patterns: [
      /CUDA error: (?:an illegal memory access was encountered|unspecified launch failure|misaligned address)/,
      /an illegal memory access was encountered/,
      /(?:runtime error \(\d+\)|error ?= ?\d+) ?: (?:unspecified launch failure|misaligned address)/,
      /cuda runtime error \((?:4|77|700|719)\)/,
    ],
    action: 'retry',
  },
  {
    code: 'cudnn.not_initialised',
    patterns: [
      /CUDNN_STATUS_(?:NOT_INITIALIZED|ALLOC_FAILED|INTERNAL_ERROR)/,
      /CUBLAS_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED)/,
    ],
    action: 'halve_batch',
  },
  {
    code: 'cudnn.version',
    patterns: [/cuDNN version incompatibility/],
  },
  {
    code: 'cudnn.failed',
    patterns: [
      /CUDNN_STATUS_(?:EXECUTION_FAILED|MAPPING_ERROR|NOT_SUPPORTED|BAD_PARAM)/,
      /CUBLAS_STATUS_(?:EXECUTION_FAILED|INVALID_VALUE|NOT_SUPPORTED|INTERNAL_ERROR)/,
    ],
  },
  {
    code: 'cuda.no_device',
    patterns: [
      /no CUDA-capable device is detected/,
      /No CUDA GPUs are available/,
      /Attempting to deserialize object on a CUDA device but torch\.cuda\.is_available\(\) is False/,
    ],
  },
  {
    code: 'tensor.devices',
    patterns: [
      /Expected all tensors to be on the same device/,
      /\bto have the same device\b/,
      /\b(?:not (?:at|on) the same device|on different devices)\b/,
      /is on CPU, but expected (?:it|them) to be on GPU/i,
      /can't convert \S+ device type tensor to numpy/,
      /Expected object of (?:device type|backend) \w+ but got (?:device type|backend) \w+/i,
      /Input type \(torch\.cuda\.\w+\) and weight type \(torch\.[A-Z]\w+\) should be the same/,
      /Input type \(torch\.[A-Z]\w+\) and weight type \(torch\.cuda\.\w+\) should be the same/,
      /indices should be either on \w+ or on the same device as the indexed tensor/,
      /module must have its parameters and buffers on device \S+ \(device_ids\[0\]\)/,
    ],
  },
  {
    code: 'tensor.types',
    patterns: [
      /expected (?:m1 and m2 to have the same dtype|scalar type \w+ but found \w+)/,
      /mat1 and mat2 must have the same dtype/,
      /Input type \(\S+\) and (?:weight|bias) type \(\S+\) should be the same/,
    ],
  },
  {
    code: 'tensor.shapes',
    patterns: [
      /mat1 and mat2 shapes cannot be multiplied/,
      /The size of tensor a \(\d+\) must match the size of tensor b/,
      /Sizes of tensors must match except in dimension/,
      /stack expects each tensor to be equal size/,
      /weight of size \[[^\]]*\], expected input\[[^\]]*\] to have \d+ channels/,
    ],
  },
  {
    code: 'checkpoint.size_mismatch',
    patterns: [
      /size mismatch for (?<parameter>\S+): copying a param with shape/,
      /(?:Missing|Unexpected) key\(s\) in state_dict/,
      /(?:unexpected|missing) keys? .* in state_dict/,
      /While copying the parameter named/,
      /\bsizes do not match at\b/,
    ],
  },
  {
    code: 'checkpoint.damaged',
    patterns: [
      /PytorchStreamReader failed (?:reading|locating)/,
      /UnpicklingError: (?:pickle data was truncated|invalid load key)/,
      /unexpected EOF\b.*The file might be corrupted/,
      /Invalid magic number/,
      /storage has wrong (?:byte )?size/,
      /Unable to (?:synchronously )?open file \(truncated file/,
      /EOFError: Ran out of input/,
      /SafetensorError: Error while deserializing header/,
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
