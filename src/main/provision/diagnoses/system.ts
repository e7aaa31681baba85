/** Disk, memory, libraries, compilers: what any program on the node can meet. */
import type { Diagnosis } from './diagnosis.ts';

export const systemDiagnoses: readonly Diagnosis[] = [
  {
    code: 'data.shared_memory',
    patterns: [
      /DataLoader worker \(pid\(?s?\)? [^)]*\) is killed by signal: Bus error/,
      /out of shared memory/,
      /Error while creating shared memory segment (?<segment>\/dev\/shm\/\S+)/,
      /unable to write to file <\/torch_/,
    ],
    cause: {
      en: '/dev/shm is too small for what the processes share; containers give it 64 MB.',
      'zh-CN': '/dev/shm 太小，容器默认仅 64 MB。',
    },
    remedy: {
      en: 'Start the container with `--shm-size=8g` or `--ipc=host`, or use fewer loader workers.',
      'zh-CN': '启动容器时加 `--shm-size=8g` 或 `--ipc=host`，或减少数据加载进程。',
    },
  },
  {
    code: 'disk.full',
    patterns: [/No space left on device/, /You don't have enough free space in (?<path>\S+?)\.?$/],
    cause: { en: 'The node’s disk is full.', 'zh-CN': '节点磁盘已满。' },
    remedy: {
      en: 'Free space (`df -h`; old runs, `apt-get clean`, package caches) and try again. Existing checkpoints were not touched.',
      'zh-CN': '清理空间（`df -h`；旧实验、`apt-get clean`、缓存）后重试；已有检查点未受影响。',
    },
    action: 'retry',
  },
  {
    code: 'disk.quota',
    patterns: [/Disk quota exceeded/],
    cause: { en: 'The user’s share of the disk is used up.', 'zh-CN': '用户磁盘配额已用尽。' },
    remedy: {
      en: 'Delete files of yours (`quota -s`), or ask for a larger quota.',
      'zh-CN': '删除自己的文件（`quota -s`），或申请更大配额。',
    },
  },
  {
    code: 'disk.read_only',
    patterns: [/Read-only file system/],
    cause: {
      en: 'The disk became read-only: mostly after errors of the disk.',
      'zh-CN': '磁盘变为只读，多因磁盘出错。',
    },
    remedy: {
      en: 'Look at `dmesg`, check the file system (fsck) and reboot.',
      'zh-CN': '查看 `dmesg`，用 fsck 检查文件系统并重启。',
    },
  },
  {
    code: 'memory.killed',
    patterns: [
      /Out of memory: Killed process (?<pid>\d+) \((?<program>[^)]+)\)/,
      /oom-kill:constraint=/,
      /Memory cgroup out of memory: Killed process (?<pid>\d+)/,
    ],
    cause: {
      en: 'The kernel ended a process because the node’s memory was used up.',
      'zh-CN': '节点内存耗尽，内核终止了进程。',
    },
    remedy: {
      en: 'Use a smaller batch, fewer loader workers or fewer ranks on this node.',
      'zh-CN': '减小批大小、数据加载线程或该节点上的进程数。',
    },
    action: 'halve_batch',
  },
  {
    code: 'build.killed',
    patterns: [
      /fatal error: Killed signal terminated program (?<program>cc1plus|as|ld)/,
      /internal compiler error: Killed \(program cc1plus\)/,
    ],
    cause: {
      en: 'The compiler was ended for want of memory: a file on libtorch’s headers takes about 1.6 GB.',
      'zh-CN': '内存不足，编译器被终止：每个编译单元约需 1.6 GB。',
    },
    remedy: {
      en: 'Build with fewer jobs at once, or add swap.',
      'zh-CN': '减少并行编译数，或增加交换分区。',
    },
    action: 'retry',
  },
  {
    code: 'build.cmake_old',
    patterns: [/CMake (?<wanted>[\d.]+) or higher is required\.\s+You are running version (?<found>[\d.]+)/],
    cause: {
      en: 'CMake {found} is too old; {wanted} is needed.',
      'zh-CN': 'CMake {found} 过旧，需要 {wanted}。',
    },
    remedy: {
      en: 'Choose the conda runtime, which brings its own CMake, or install a newer one.',
      'zh-CN': '使用自带 CMake 的 conda 运行时，或安装较新版本。',
    },
  },
  {
    code: 'build.no_torch',
    patterns: [
      /Could not find a package configuration file provided by "Torch"/,
      /fatal error: torch\/\S+: No such file or directory/,
    ],
    cause: {
      en: 'libtorch’s development files are not on the node.',
      'zh-CN': '节点上没有 libtorch 开发文件。',
    },
    remedy: {
      en: 'Let the runtime step install them (Debian: libtorch-dev), or name a libtorch that is there.',
      'zh-CN': '让“运行时”步骤安装（Debian：libtorch-dev），或指定已有的 libtorch。',
    },
    action: 'retry',
  },
  {
    code: 'build.no_library',
    patterns: [
      /Could NOT find (?<library>JPEG|ZLIB|Threads|MPI)\b/,
      /fatal error: (?<library>jpeglib|zlib)\.h: No such file/,
    ],
    cause: { en: 'The development files of {library} are missing.', 'zh-CN': '缺少 {library} 的开发文件。' },
    remedy: {
      en: 'Install libjpeg-dev and zlib1g-dev, or let the runtime step do it.',
      'zh-CN': '安装 libjpeg-dev、zlib1g-dev，或由“运行时”步骤完成。',
    },
    action: 'retry',
  },
  {
    code: 'library.glibc_old',
    patterns: [/version [`']GLIBC_(?<wanted>[\d.]+)' not found/],
    cause: {
      en: 'The program was built for glibc {wanted}; this node’s is older.',
      'zh-CN': '程序需要 glibc {wanted}，此节点的版本更旧。',
    },
    remedy: {
      en: 'Build the trainer on this node itself, or choose a runtime whose newest build still runs here.',
      'zh-CN': '在此节点上编译训练程序，或选择仍支持该 glibc 的运行时版本。',
    },
    action: 'retry',
  },
  {
    code: 'library.libstdcxx_old',
    patterns: [/version [`'](?<wanted>(?:GLIBCXX|CXXABI)_[\d.]+)' not found/],
    cause: {
      en: 'The C++ library on this node is older than the program: {wanted} is missing.',
      'zh-CN': '此节点的 C++ 库较旧，缺少 {wanted}。',
    },
    remedy: {
      en: 'Use the environment’s own libstdc++ (LD_LIBRARY_PATH to its lib folder), or build on the node.',
      'zh-CN': '使用环境自带的 libstdc++（将 LD_LIBRARY_PATH 指向其 lib），或在节点上编译。',
    },
  },
  {
    code: 'library.missing',
    patterns: [
      /error while loading shared libraries: (?<library>[^:]+): cannot open shared object file/,
      /(?:OSError|ImportError): (?<library>lib\S+): cannot open shared object file/,
    ],
    cause: { en: '{library} is not where the program looks for it.', 'zh-CN': '找不到 {library}。' },
    remedy: {
      en: 'The runtime was moved or removed since the trainer was built: prepare the node again.',
      'zh-CN': '训练程序编译后运行时被移动或删除：请重新准备节点。',
    },
    action: 'retry',
  },
  {
    code: 'system.too_many_files',
    patterns: [/Too many open files/],
    cause: {
      en: 'The processes hold more files open than the node allows.',
      'zh-CN': '打开的文件数超过节点限制。',
    },
    remedy: {
      en: 'Raise the limit (`ulimit -n 65535`), or use fewer loader workers.',
      'zh-CN': '提高上限（`ulimit -n 65535`），或减少数据加载线程。',
    },
  },
  {
    code: 'system.illegal_instruction',
    patterns: [/Illegal instruction(?: \(core dumped\))?/],
    cause: {
      en: 'The program uses instructions that this node’s processor lacks.',
      'zh-CN': '程序使用了此 CPU 不支持的指令。',
    },
    remedy: {
      en: 'Build the trainer on this node; a binary of a newer machine does not run here.',
      'zh-CN': '在此节点上编译训练程序，较新机器的二进制无法运行。',
    },
    action: 'retry',
  },
  {
    code: 'clock.certificate',
    patterns: [/certificate is not yet valid/, /certificate has expired/, /CondaSSLError/],
    cause: {
      en: 'A certificate is not valid at the node’s time: its clock is wrong, or its certificates are old.',
      'zh-CN': '证书在节点时间下无效：时钟错误或证书过旧。',
    },
    remedy: {
      en: 'Set the clock (`timedatectl`), and update the package ca-certificates.',
      'zh-CN': '校准时钟（`timedatectl`），并更新 ca-certificates。',
    },
  },
];
