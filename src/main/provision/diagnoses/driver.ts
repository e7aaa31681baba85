/** NVIDIA's driver: not there, dead, mismatched, refused by the kernel or by the firmware. */
import type { Diagnosis } from './diagnosis.ts';

export const driverDiagnoses: readonly Diagnosis[] = [
  {
    code: 'driver.version_mismatch',
    patterns: [/Driver\/library version mismatch/, /API mismatch: the client has the version/],
    cause: {
      en: 'The NVIDIA driver was updated while its old kernel module is still loaded.',
      'zh-CN': 'NVIDIA 驱动已更新，但内核仍加载着旧版本的模块。',
    },
    remedy: {
      en: 'Reboot the node; the new module is loaded then.',
      'zh-CN': '重启节点，届时会加载新模块。',
    },
    action: 'reboot',
  },
  {
    code: 'driver.dead_after_update',
    patterns: [/NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver/],
    cause: {
      en: 'The driver is installed, but no module of it is loaded: usually the kernel was updated and the module was not built for it.',
      'zh-CN': '驱动已安装但模块未加载：通常是内核更新后没有为新内核编译模块。',
    },
    remedy: {
      en: 'Build it for the running kernel: `dkms install -m nvidia -v <version in /usr/src/nvidia-*>` with the headers of this kernel, then `modprobe nvidia`.',
      'zh-CN':
        '为当前内核重新编译：安装当前内核的头文件，执行 `dkms install -m nvidia -v </usr/src/nvidia-* 中的版本>`，再 `modprobe nvidia`。',
    },
    action: 'repair_driver',
  },
  {
    code: 'driver.module_missing',
    patterns: [
      /modprobe: FATAL: Module nvidia(?:-current)? not found in directory \/lib\/modules\/(?<kernel>\S+)/,
    ],
    cause: {
      en: 'There is no NVIDIA module for the running kernel {kernel}.',
      'zh-CN': '当前内核 {kernel} 没有对应的 NVIDIA 模块。',
    },
    remedy: {
      en: 'Install linux-headers-{kernel} and build the module with dkms.',
      'zh-CN': '安装 linux-headers-{kernel} 并用 dkms 编译模块。',
    },
    action: 'repair_driver',
  },
  {
    code: 'driver.not_installed',
    patterns: [/nvidia-smi: (?:command )?not found/, /Command 'nvidia-smi' not found/],
    cause: { en: 'No NVIDIA driver is installed.', 'zh-CN': '未安装 NVIDIA 驱动。' },
    remedy: {
      en: 'Let the driver step install it, or train on the CPU.',
      'zh-CN': '让“驱动”步骤安装，或使用 CPU 训练。',
    },
    action: 'repair_driver',
  },
  {
    code: 'driver.nouveau',
    patterns: [
      /Nouveau kernel driver is currently in use by your system/,
      /NVRM: GPU .* is already bound to nouveau/,
    ],
    cause: {
      en: 'The free driver nouveau holds the GPU, so NVIDIA’s cannot.',
      'zh-CN': '开源驱动 nouveau 占用了 GPU，NVIDIA 驱动无法使用。',
    },
    remedy: {
      en: 'Blacklist nouveau (`options nouveau modeset=0`), rebuild the initramfs and reboot.',
      'zh-CN': '将 nouveau 加入黑名单（`options nouveau modeset=0`），重建 initramfs 后重启。',
    },
    action: 'repair_driver',
  },
  {
    code: 'driver.secure_boot',
    patterns: [
      /could not insert '?nvidia\S*: (?:Key was rejected by service|Required key not available)/,
      /Secure boot is enabled on this system, so this is likely because it was not signed/,
      /Loading of unsigned module is rejected/,
      /Lockdown: modprobe: unsigned module loading is restricted/,
    ],
    cause: {
      en: 'Secure Boot is on and the firmware does not know the key that signed the module.',
      'zh-CN': '已启用 Secure Boot，固件不认识为该模块签名的密钥。',
    },
    remedy: {
      en: 'Use the distribution’s signed modules (Ubuntu: linux-modules-nvidia-*), or enrol the key (`mokutil --import`) at the machine’s own console, or switch Secure Boot off.',
      'zh-CN':
        '使用发行版已签名的模块（Ubuntu：linux-modules-nvidia-*），或在机器本地控制台登记密钥（`mokutil --import`），或关闭 Secure Boot。',
    },
  },
  {
    code: 'driver.no_headers',
    patterns: [
      /kernel headers for kernel (?<kernel>\S+) cannot be found/,
      /Unable to find the kernel source tree for the currently running kernel/,
    ],
    cause: {
      en: 'The headers of the running kernel are not installed, so its module cannot be built.',
      'zh-CN': '未安装当前内核的头文件，无法编译模块。',
    },
    remedy: {
      en: 'Install linux-headers-$(uname -r). Where the archive no longer has it, install the newest kernel with its headers and reboot.',
      'zh-CN': '安装 linux-headers-$(uname -r)。若软件源已无此版本，请安装最新内核及其头文件并重启。',
    },
    action: 'repair_driver',
  },
  {
    code: 'driver.compiler_mismatch',
    patterns: [
      /The compiler used to compile the kernel .* does not exactly match the current compiler/,
      /unrecognized command[- ]line option .-ftrivial-auto-var-init=zero/,
      /Compiler version check failed/,
    ],
    cause: {
      en: 'The kernel was built with another compiler than the one that is to build the module.',
      'zh-CN': '编译内核所用的编译器与当前编译器版本不同。',
    },
    remedy: {
      en: 'Install the compiler named above (for example gcc-12) and build with `CC=gcc-12 dkms install …`.',
      'zh-CN': '安装上述版本的编译器（如 gcc-12），并用 `CC=gcc-12 dkms install …` 编译。',
    },
  },
  {
    code: 'driver.dkms_failed',
    patterns: [/Bad return status for module build on kernel: (?<kernel>\S+)/],
    cause: {
      en: 'This version of the driver does not compile for kernel {kernel}: most often it is older than the kernel.',
      'zh-CN': '此版本驱动无法在内核 {kernel} 上编译，多半是驱动比内核旧。',
    },
    remedy: {
      en: 'Install a newer driver branch that supports the kernel; the reason is at the end of make.log named above.',
      'zh-CN': '安装支持该内核的较新驱动分支；具体原因见上文 make.log 末尾。',
    },
  },
  {
    code: 'driver.gpu_needs_proprietary',
    patterns: [
      /not supported by open(?:\n| )?nvidia\.ko/,
      /requires use of the NVIDIA proprietary kernel modules?/i,
    ],
    cause: {
      en: 'The open kernel modules do not support this GPU: Maxwell, Pascal and Volta need the proprietary ones.',
      'zh-CN': '开源内核模块不支持此 GPU：Maxwell、Pascal、Volta 需要专有模块。',
    },
    remedy: {
      en: 'Install the package without “-open” (for example nvidia-driver-580).',
      'zh-CN': '安装不带“-open”的软件包（如 nvidia-driver-580）。',
    },
    action: 'repair_driver',
  },
  {
    code: 'driver.legacy_gpu',
    patterns: [/supported through the NVIDIA (?<branch>\d+)\.xx Legacy/],
    cause: {
      en: 'The GPU is too old for this driver; branch {branch} was the last that supports it.',
      'zh-CN': '此 GPU 过旧，{branch} 分支是最后支持它的驱动。',
    },
    remedy: {
      en: 'Install driver branch {branch}, and a torch built for a CUDA level that it supports.',
      'zh-CN': '安装 {branch} 分支的驱动，以及与其 CUDA 级别相符的 torch。',
    },
  },
  {
    code: 'driver.no_gpu',
    patterns: [
      /^No devices were found/,
      /could not insert '?nvidia'?: No such device/,
      /NVRM: No NVIDIA (?:GPU|graphics adapter) found/,
    ],
    cause: {
      en: 'The driver runs, but sees no GPU it can use.',
      'zh-CN': '驱动已运行，但未发现可用的 GPU。',
    },
    remedy: {
      en: 'Look with `lspci | grep -i nvidia` whether the machine has one; on a virtual machine, whether it was passed through and powered.',
      'zh-CN': '用 `lspci | grep -i nvidia` 检查机器是否有 GPU；若为虚拟机，检查是否已直通。',
    },
  },
  {
    code: 'driver.x_server',
    patterns: [/You appear to be running an X server/],
    cause: {
      en: 'A graphical session uses the GPU while the driver is to be replaced.',
      'zh-CN': '更换驱动时图形会话正在占用 GPU。',
    },
    remedy: {
      en: 'Stop the display manager (`systemctl isolate multi-user.target`) and install again.',
      'zh-CN': '停止显示管理器（`systemctl isolate multi-user.target`）后重新安装。',
    },
  },
  {
    code: 'driver.module_in_use',
    patterns: [
      /kernel module '?nvidia\S* appears to already be loaded in your kernel/,
      /rmmod: ERROR: Module nvidia\S* is in use/,
    ],
    cause: {
      en: 'The old module is still used by some process, so it cannot be replaced.',
      'zh-CN': '旧模块仍被某些进程占用，无法替换。',
    },
    remedy: {
      en: 'End what uses the GPU (`fuser -v /dev/nvidia*` names it), or reboot.',
      'zh-CN': '结束占用 GPU 的进程（`fuser -v /dev/nvidia*` 可查看），或重启。',
    },
    action: 'reboot',
  },
  {
    code: 'gpu.lost',
    patterns: [
      /GPU has fallen off the bus/,
      /GPU is lost\.\s+Reboot the system/,
      /Unable to determine the device handle for (?:GPU|gpu)/,
    ],
    cause: {
      en: 'The GPU stopped answering on the PCI bus: overheating, power, or a fault of the card.',
      'zh-CN': 'GPU 在 PCI 总线上失去响应：过热、供电或硬件故障。',
    },
    remedy: {
      en: 'Reboot the node. If it comes back, check power and cooling, and have the card examined.',
      'zh-CN': '重启节点；若再次出现，请检查供电与散热，并送检显卡。',
    },
    action: 'reboot',
  },
  {
    code: 'gpu.memory_error',
    patterns: [/uncorrectable ECC error encountered/i, /Xid \(PCI:[^)]*\): (?:48|63|64|94|95),/],
    cause: {
      en: 'The GPU’s memory had an error that could not be corrected.',
      'zh-CN': 'GPU 显存发生无法纠正的 ECC 错误。',
    },
    remedy: {
      en: 'Reset the GPU or reboot the node, then train on from the last checkpoint; if it comes back, the card has to be replaced.',
      'zh-CN': '重置 GPU 或重启节点，然后从最后的检查点继续；若反复出现需更换显卡。',
    },
    action: 'reboot',
  },
];
