/** Failures of NVIDIA's driver: missing, not responding, version mismatch, refused by the kernel or by the firmware. */
import type { Diagnosis } from './diagnosis.ts';

export const driverDiagnoses: readonly Diagnosis[] = [
  {
    code: 'driver.version_mismatch',
    patterns: [
      /Driver\/library version mismatch/,
      /API mismatch: the client has the version/,
      /Error 80[34]: /,
      /system has unsupported display driver \/ cuda driver combination/,
      /forward compatibility was attempted on non supported HW/,
      /API mismatch: the client\b/,
    ],
    action: 'reboot',
  },
  {
    code: 'driver.dead_after_update',
    patterns: [
      /NVIDIA-SMI has failed because it couldn.t communicate with the NVIDIA driver/,
      /Failed to initialize NVML: Driver Not Loaded/,
    ],
    action: 'repair_driver',
    followsFrom: ['kernel.module_missing', 'driver.module_missing'],
  },
  {
    code: 'driver.module_missing',
    patterns: [
      /module not found: '?nvidia/,

      /modprobe: FATAL: (?:Module )?nvidia\S* not found in directory \/lib\/modules\/(?<kernel>\S+)/,
    ],
    action: 'repair_driver',
  },
  {
    code: 'kernel.module_missing',
    patterns: [
      /FATAL: (?:Module )?(?<module>(?!https?:)[\w-]+)\.? not found/,
      /Could not load (?<module>\w+) kernel module/,
      /could not find module by name ?=? ?'(?<module>[^']+)'/,
      /Failed to load module "(?<module>[^"]+)" \(module does not exist/,
    ],
  },
  {
    code: 'driver.not_installed',
    patterns: [
      /ERROR: nvidia-smi not found/,
      /nvidia-smi: (?:command )?not found/,
      /Command 'nvidia-smi' not found/,
      /Found no NVIDIA driver on your system/,
      /lib(?:cuda|nvidia-ml)\.so\S*: cannot open shared object file/,
      /couldn't find libnvidia-ml\.so library in your system/,
      /exec: "nvidia-smi": executable file not found/,
      /nvidia-smi[\'"]?: No such file or directory/,
    ],
    action: 'repair_driver',
  },
  // No output of a tool: the step itself knows what the node lacks. Without an action, since it would refuse again.
  { code: 'driver.other_system', patterns: [] },
  { code: 'driver.no_kernel_devel', patterns: [] },
  { code: 'driver.debian_old', patterns: [] },
  { code: 'driver.wsl', patterns: [/GPU access blocked by the operating system/] },
  {
    code: 'driver.nouveau',
    patterns: [
      /Nouveau kernel driver is currently in use by your system/,
      /NVRM: GPU .* is already bound to nouveau/,
      /Nouveau kernel driver (?:is (?:currently|already)|was)/,
      /This can occur when (?:a|another) driver such as:? ?(?:NVRM: )?nouveau/,
    ],
    action: 'repair_driver',
  },
  {
    code: 'driver.secure_boot',
    patterns: [
      /could not insert (?:module )?\S+: (?:Key was rejected by service|Required key not available)/,
      /Secure boot is enabled on this system, so this is likely because it was not signed/,
      /Loading of unsigned module is rejected/,
      /Lockdown: modprobe: unsigned module loading is restricted/,
      /(?:insert|insmod|modprobe).*: (?:Key was rejected by service|Required key not available)/,
    ],
  },
  {
    code: 'driver.wrong_kernel',
    patterns: [
      /could not insert (?:module )?(?<module>\S+): (?:Exec format error|Invalid module format|Invalid argument|Unknown symbol in module)/,
      /Failed to insert module '(?<module>[^']+)': (?:Exec format error|Invalid argument)/,
      /\b(?<module>\w{1,64}): disagrees about version of symbol/,
      /\b(?<module>\w{1,64}): version magic '.*' should be/,
      /\b(?<module>\w{1,64}): Unknown symbol \w+ \(err -?\d+\)/,
    ],
    action: 'repair_driver',
  },
  {
    code: 'driver.not_permitted',
    patterns: [/could not (?:insert|load module) '?(?<module>[^\s':]+)'?: Operation not permitted/],
  },
  {
    code: 'driver.no_headers',
    patterns: [
      /kernel headers for kernel (?<kernel>\S+) cannot be found/,
      /Unable to find the kernel source tree for the currently running kernel/,
      /Please install the linux-headers-(?<kernel>[\w.+-]+) package/,
      /\/lib\/modules\/(?<kernel>[^/\s]+)\/build: No such file or directory/,
      /kernel source (?:path|tree)\b.{0,80}(?:is invalid|not found|could not be found|does not exist)/,
    ],
    action: 'repair_driver',
  },
  {
    code: 'driver.compiler_mismatch',
    patterns: [
      /The compiler used to compile the kernel .* does not exactly match the current compiler/,
      /unrecognized command[- ]line option .-ftrivial-auto-var-init=zero/,
      /Compiler version check failed/,
      /\bgcc-\d+: (?:command )?not found/,
    ],
  },
  {
    code: 'driver.dkms_stale',
    patterns: [/Could not locate dkms\.conf file/, /dkms\.conf does not exist/],
  },
  {
    code: 'driver.dkms_failed',
    patterns: [
      /\bkernel module\b.{0,20}(?:failed to build|was not created)/,

      /Bad return status for module build on kernel: (?<kernel>\S+)/,
      /dkms autoinstall on (?<kernel>[^\s/]+)\S* failed for/,
      /Building DKMS module \S+ for kernel-(?<kernel>\S+?)\.\.\. FAILED/,
      /DKMS module \S+ failed to build/,
      /dkms.{0,40}\bkernel:? (?<kernel>[\w.+-]+) failed/,
      /\bDKMS\b.{0,80}\bFAILED\b/,
      /Failed to install the kernel module through DKMS/,
      /One or more modules failed to install during autoinstall/,
      /\(bad exit status: \d+\)/,
      /An error occurred while performing the step: "Building kernel modules"/,
      /\bnvidia[\w/.-]*\.[ch]:\d+(?::\d+)?: error: /,
      /\b(?:nv|os|uvm)[-_][\w-]+\.[ch]:\d+(?::\d+)?: error: /,
      /\bmake\S*: \*\*\* .*\/var\/lib\/dkms\//,
    ],
  },
  {
    code: 'driver.gpu_needs_proprietary',
    patterns: [
      /not supported by open(?:\n| )?nvidia\.ko/,
      /requires use of the NVIDIA proprietary kernel modules?/,
      /is not supported by (?:the )?open\b.{0,12}nvidia\.ko/,
    ],
    action: 'repair_driver',
  },
  {
    code: 'driver.legacy_gpu',
    patterns: [/supported through the NVIDIA (?<branch>\d+)\.xx Legacy/],
  },
  {
    code: 'driver.no_gpu',
    patterns: [
      /^No devices were found/,
      /could not insert '?nvidia\S*: No such device/,
      /Error inserting nvidia\S* \(.*\): No such device/,
      /NVRM: No NVIDIA (?:GPU|graphics adapter) found/,
      /NVIDIA-SMI.*No devices (?:were )?found/,
    ],
  },
  {
    code: 'driver.x_server',
    patterns: [/You appear to be running an X server/],
  },
  {
    code: 'driver.module_in_use',
    patterns: [
      /kernel module '?nvidia\S* appears to already be loaded in your kernel/,
      /rmmod: ERROR: Module nvidia\S* is in use/,
    ],
    action: 'reboot',
  },
  {
    code: 'driver.module_refused',
    patterns: [/Unable to load the (?:kernel module )?'?nvidia\S*(?: kernel module)?/],
    action: 'repair_driver',
    followsFrom: [
      'driver.secure_boot',
      'driver.nouveau',
      'driver.wrong_kernel',
      'driver.no_gpu',
      'driver.module_in_use',
      'driver.gpu_needs_proprietary',
      'driver.legacy_gpu',
      'driver.compiler_mismatch',
    ],
  },
  {
    code: 'driver.gpu_needs_open',
    patterns: [/requires use of the NVIDIA open kernel modules?/],
    action: 'repair_driver',
  },
];
