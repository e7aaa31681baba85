/** Failures of disk, memory, libraries and compilers. */
import type { Diagnosis } from './diagnosis.ts';

export const systemDiagnoses: readonly Diagnosis[] = [
  {
    code: 'data.worker_crashed',
    patterns: [
      /DataLoader worker \(pid\(?s?\)? [^)]*\) (?:is killed by signal: (?:Segmentation fault|Aborted|Illegal instruction|Floating)|exited unexpectedly with exit code \d)/,
    ],
  },
  {
    code: 'data.workers',
    patterns: [
      /can only test a child process/,
      /Can't (?:pickle|get) (?:local object|attribute|<)/,
      /cannot pickle '[^']+' object/,
      /An attempt has been made to start a new process before the/,
      /Cannot re-initialize CUDA in forked subprocess/,
    ],
  },
  {
    code: 'data.worker_killed',
    patterns: [
      /DataLoader worker \(pid\(?s?\)? [^)]*\) (?:is killed by signal: (?:Killed|Terminated)|exited unexpectedly(?! with exit code \d))/,
    ],
    followsFrom: ['memory.killed', 'data.shared_memory', 'data.worker_crashed'],
  },
  {
    code: 'data.shared_memory',
    patterns: [
      /DataLoader worker \(pid\(?s?\)? [^)]*\) is killed by signal: Bus error/,
      /out of shared memory/,
      /insufficient shared memory/,
      /Error while creating shared memory segment (?<segment>\/dev\/shm\/\S+)/,
      /unable to write to file <\/torch_/,
    ],
  },
  {
    code: 'disk.full',
    patterns: [/No space left on device/, /You don't have enough free space in (?<path>\S+?)\.?$/],
    action: 'retry',
  },
  {
    code: 'disk.errors',
    patterns: [
      /\bInput\/output error\b/,
      /\bI\/O error, dev \w+/,
      /EXT4-fs error/,
      /Stale (?:NFS )?file handle/,
    ],
  },
  {
    code: 'disk.quota',
    patterns: [/Disk quota exceeded/],
  },
  {
    code: 'disk.read_only',
    patterns: [/Read-only file system/],
  },
  {
    code: 'memory.killed',
    patterns: [
      /Out of memory: Killed process (?<pid>\d+) \((?<program>[^)]+)\)/,
      /oom-kill:constraint=/,
      /Out of memory: Kill process (?<pid>\d+) \((?<program>[^)]+)\)/,
      /Detected \d+ oom[-_]kill event/,
      /\bOOMKilled\b/,
      /Memory cgroup out of memory: Killed process (?<pid>\d+)/,
    ],
    action: 'halve_batch',
  },
  {
    code: 'memory.exhausted',
    patterns: [
      /DefaultCPUAllocator: (?:can't allocate|not enough) memory/,
      /std::bad_alloc/,
      /\bMemoryError\b/,
      /Allocation of \d+ exceeds \d+% of (?:free )?system memory/,
      /Unable to allocate [\d.]+ [KMGT]iB for an array/,
      /\bbad allocation\b/,
      /Cannot allocate memory/,
    ],
    action: 'halve_batch',
  },
  {
    code: 'process.killed',
    patterns: [
      /^(?:zsh: |\[\d+\][+-]?\s+(?:\d+ )?)?[Kk]illed(?:\s{2,}|:? ?9?\s*$)/,
      /\bline \d+:\s+\d+ Killed\b/,
      /(?:\]|^[-/\\|])\s*Killed\s*$/,
      /^(?:已杀死|Getötet|強制終了)\s*$/,
      /\b(?:exit|return)(?:s|ed)?\b.{0,40}(?:code|status)\s*[:=]?\s*(?:137|-9)\b/,
      /(?:died with|terminated by|interrupted by|killed by)\b.{0,20}(?:SIGKILL|signal:? 9\b)/i,
    ],
    action: 'halve_batch',
    followsFrom: ['memory.killed', 'memory.exhausted', 'build.killed'],
  },
  {
    code: 'process.bus_error',
    patterns: [/\bBus error\b/i, /\bSIGBUS\b/, /^总线错误/],
    followsFrom: ['data.shared_memory', 'disk.full'],
  },
  {
    code: 'build.killed',
    patterns: [
      /fatal error: Killed signal terminated program (?<program>cc1plus|as|ld)/,
      /internal compiler error: Killed \(program cc1plus\)/,
    ],
    action: 'retry',
  },
  {
    code: 'build.cmake_old',
    patterns: [/CMake (?<wanted>[\d.]+) or higher is required\.\s+You are running version (?<found>[\d.]+)/],
  },
  {
    code: 'build.no_torch',
    patterns: [
      /Could not find a package configuration file provided by "Torch"/,
      /fatal error: torch\/\S+: No such file or directory/,
    ],
    action: 'retry',
  },
  {
    code: 'build.no_library',
    patterns: [
      /Could NOT find (?<library>JPEG|ZLIB|Threads|MPI)\b/,
      /fatal error: (?<library>jpeglib|zlib)\.h: No such file/,
    ],
    action: 'retry',
  },
  {
    code: 'library.glibc_old',
    patterns: [/version [`']GLIBC_(?<wanted>[\d.]+)' not found/],
    action: 'retry',
  },
  {
    code: 'library.libstdcxx_old',
    patterns: [/version [`'](?<wanted>(?:GLIBCXX|CXXABI)_[\d.]+)' not found/],
  },
  {
    code: 'library.cuda_missing',
    patterns: [
      /(?<library>lib(?:cudnn|cublas|cudart|nccl|cufft|curand|cusparse|cusolver|cupti|cufile|nvrtc|nvJitLink|nvToolsExt|nvjpeg|nvinfer|nvshmem|npp)\w*\.so[\d.]*): cannot open shared object file/,
      /Could not load library (?<library>libcudnn\S+?)\.? Error/,
      /Unable to load any of \{(?<library>libcudnn[^,}]+)/,
    ],
  },
  {
    code: 'library.symbol',
    patterns: [/undefined symbol: (?<symbol>\S+)/],
  },
  {
    code: 'library.missing',
    patterns: [
      /error while loading shared libraries: (?<library>[^:]+): cannot open shared object file/,
      /(?:OSError|ImportError): (?<library>lib\S+): cannot open shared object file/,
    ],
    action: 'retry',
  },
  {
    code: 'system.too_many_files',
    patterns: [/Too many open files/, /received 0 items of ancdata/],
  },
  {
    code: 'system.illegal_instruction',
    patterns: [/Illegal instruction(?: \(core dumped\))?/, /\btrap invalid opcode\b/],
    action: 'retry',
  },
  {
    code: 'process.crashed',
    patterns: [
      /\bsegfault at [0-9a-f]+ ip /,
      /Segmentation fault/i,
      /^段错误/,
      /Caught signal (?:6|8|11)\b/,
      /\b(?:exit|return)(?:s|ed)?\b.{0,40}(?:code|status)\s*[:=]?\s*(?:139|134|-11|-6)\b/,
      /(?:died with|terminated by|interrupted by)\b.{0,20}(?:SIGSEGV|SIGABRT|signal:? (?:6|11)\b)/i,
      /Fatal Python error: (?:Aborted|Floating)/,
      /\bgeneral protection (?:fault )?ip:/,
      /^(?:\S+: line \d+:\s+\d+ )?Aborted\s+\(core dumped\)/,
      /(?:double free or corruption|malloc\(\): |free\(\): invalid)/,
    ],
    followsFrom: 'any',
  },
  {
    code: 'archive.damaged',
    patterns: [
      /^(?:gzip|gunzip|xz|bzip2|zstd|tar|unzip|lzma)\b.*(?:unexpected end of|not in gzip format|invalid compressed data|crc error|format not recognized|data is corrupt|unsupported format)/i,
      /tar: (?:Unexpected EOF in archive|This does not look like a tar archive|Truncated input file)/,
      /Truncated (?:tar|zip) archive/i,
      /Unexpected end of archive/i,
      /zipfile corrupt|central directory not found/,
      /Data integrity error when decompressing/,
      /Unconfirmed start of archive|^\s*Headers Error/,
      /(?:not a valid|Cannot open|Can not open)(?: the)?(?: file as)? (?:zip |tar |7z )?archive/i,
      /zip (?:file|archive) is (?:truncated|corrupt)/i,
      /Compressed file ended before the end-of-stream marker/,
      /\bBadZip[Ff]ile\b/,
      /\bbad CRC [0-9a-f]{6,8}/,
      /CRC (?:failed|check failed)/i,
      /End-of-central-directory signature not found/,
      /cannot find zipfile directory/,
      /tarfile\.ReadError/,
      /Not a gzipped file/,
      /zlib\.error: Error -\d/,
      /LZMAError/,
      /dpkg-deb.*(?:corrupted|read error|lzma error|unexpected end)/,
      /Failed to (?:read from|extract) zip (?:file|archive)/,
    ],
    action: 'retry',
    followsFrom: ['disk.full'],
  },
  {
    code: 'download.checksum',
    patterns: [
      /NonMatchingChecksumError/,
      /computed checksums? did NOT match/,
      /\b(?:hash|checksum|sha256|md5)\b.{0,40}\b(?:mismatch|does not match|do not match|doesn't match)\b/i,
      /invalid hash value \(expected/,
    ],
    action: 'retry',
    followsFrom: 'any',
  },
  {
    code: 'file.missing',
    patterns: [
      /\[Errno 2\] No such file or directory: (?<path>.+)$/,
      /^(?:scp|rsync|cp|mv|tar|cat|cd|python3?|bash): .{0,40}?(?<path>\/[^:'"]+).{0,20}: No such file or directory/,
      /can't open file '(?<path>[^']+)': \[Errno 2\]/,
    ],
  },
  {
    code: 'scheduler.cancelled',
    patterns: [/CANCELLED AT \S+ (?:DUE TO TIME LIMIT|\*\*\*)/, /DUE TO TIME LIMIT/, /DUE TO PREEMPTION/],
  },
  {
    code: 'build.cuda_mismatch',
    patterns: [
      /detected CUDA version \((?<found>[\d.]+)\) mismatches the version that was used to compile PyTorch \((?<wanted>[\d.]+)\)/,
      /CUDA_HOME environment variable is not set/,
      /nvcc: (?:command )?not found/,
      /command not found: nvcc/,
    ],
  },
  {
    code: 'file.denied',
    patterns: [
      /\[Errno 13\] Permission denied: (?<path>.+)$/,
      /cannot (?:create|open|remove|access|stat|touch|write|move)[^:]*?(?<path>['‘][^'’]+['’])[^:]*: Permission denied/,
      /: (?<path>[^\s:]+): Permission denied$/,
      /: Permission denied$/,
    ],
  },
  {
    code: 'clock.certificate',
    patterns: [
      /certificate is not yet valid/,
      /certificate has expired/i,
      /Issued certificate not yet valid/,
      /invalid peer certificate: (?:Expired|NotValidYet)/,
      /certificate .*is not yet activated/,
    ],
  },
];
