/** Failures of GPUs and of the containers that use them. */
import type { Diagnosis } from './diagnosis.ts';

export const gpuDiagnoses: readonly Diagnosis[] = [
  {
    code: 'gpu.gsp_timeout',
    patterns: [/_kgsp\w*Time(?:d)?out/, /\bGSP Timeout\b/, /Xid \(PCI:[^)]*\): 1(?:19|20),/],
    action: 'reboot',
  },
  {
    code: 'container.lost_gpu',
    patterns: [/Failed to initialize NVML: Unknown Error/],
  },
  {
    code: 'container.no_gpu',
    patterns: [
      /adding custom device "\/dev\/nvidia/,
      /\b(?:l?stat|open|mount) \/dev\/nvidia\S*: no such file/,

      /The NVIDIA Driver was not detected\b/,
      /no NVIDIA GPU device is present: \/dev\/nvidia/,
      /\bnvidia-container-cli\W? not found\b/,
      /could not select device driver ".*" with capabilities: \[\[gpu\]\]/,
      /nvidia-container-cli: (?!requirement)[\w ]+ error/,
      /failed to discover GPU vendor from CDI/,
      /unresolvable CDI devices nvidia/,
      /unknown or invalid runtime name: nvidia/,
      /could not select device driver "[^"]*" with capabilities/,
      /unresolvable CDI devices/,
    ],
  },
  {
    code: 'gpu.lost',
    patterns: [
      /GPU has fallen off the bus/,
      /GPU is lost\.\s+Reboot the system/,
      /Unable to determine the device handle for (?:GPU|gpu)(?!.*requires reset)/,
      /\bGPU is lost\b/,
      /^nvidia-smi does not answer$/m,
      /\bfallen off the bus\b/,
      /PCIe Bus Error: severity=Uncorrected/,
      /\bnvidia \S+: AER: can't recover/,
    ],
    action: 'reboot',
  },
  {
    code: 'gpu.memory_error',
    patterns: [
      /uncorrectable ECC error encountered/,
      /Xid \(PCI:[^)]*\): (?:48|63|64|94|95),/,
      /CUDA_ERROR_ECC_UNCORRECTABLE|cudaErrorECCUncorrectable/,
    ],
    action: 'reboot',
  },
  {
    code: 'gpu.xid',
    patterns: [/NVRM: Xid \(PCI:[^)]*\): (?<number>\d+)/],
  },
  {
    code: 'gpu.init_failed',
    patterns: [
      /\b(?:RmInitAdapter|rm_init_adapter) failed\b/,
      /NVRM: .*(?:GSP firmware|gsp_\w+\.bin).*(?:fail|error)/,
    ],
  },
  {
    code: 'gpu.permission',
    patterns: [/Failed to initialize NVML: Insufficient Permissions/, /\/dev\/nvidia\S*: Permission denied/],
  },
  {
    code: 'gpu.nvlink',
    patterns: [
      /uncorrectable NVLink error/,

      /uncorrectable NVLink error/,
      /Invalid access of peer GPU memory over nvlink or a hardware error/,
      /cudaErrorNvlinkUncorrectable/,
    ],
    action: 'reboot',
  },
  {
    code: 'container.not_permitted',
    patterns: [
      /permission denied while trying to connect to the [Dd]ocker (?:daemon socket|API)/,
      /dial unix \/var\/run\/docker\.sock: connect: permission denied/,
    ],
  },
  {
    code: 'container.no_daemon',
    patterns: [/Cannot connect to the Docker daemon at/, /Is the docker daemon running\?/],
  },
  {
    code: 'container.no_image',
    patterns: [
      /manifest (?:for (?<image>\S+) )?(?:unknown|not found)/,
      /pull access denied for (?<image>[^\s,]+)/,
      /\b(?:ImagePullBackOff|ErrImagePull)\b/,
      /Error response from daemon: .*: not found$/,
    ],
    followsFrom: ['network.rate_limited'],
  },
  {
    code: 'gpu.reset_required',
    patterns: [/NV_ERR_RESET_REQUIRED/, /GPU requires reset/],
    action: 'reboot',
  },
  {
    code: 'gpu.no_addresses',
    patterns: [/This PCI I\/O region assigned to your NVIDIA device is invalid/, /BAR\d is 0M @ 0x0/],
  },
  {
    code: 'gpu.mig_pending',
    patterns: [/MIG mode is in pending/],
    action: 'reboot',
  },
];
