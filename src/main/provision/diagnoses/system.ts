/** Failures of disk, memory, libraries and compilers. */
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
  },
  {
    code: 'disk.full',
    patterns: [/No space left on device/, /You don't have enough free space in (?<path>\S+?)\.?$/],
    action: 'retry',
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
      /Memory cgroup out of memory: Killed process (?<pid>\d+)/,
    ],
    action: 'halve_batch',
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
    code: 'library.missing',
    patterns: [
      /error while loading shared libraries: (?<library>[^:]+): cannot open shared object file/,
      /(?:OSError|ImportError): (?<library>lib\S+): cannot open shared object file/,
    ],
    action: 'retry',
  },
  {
    code: 'system.too_many_files',
    patterns: [/Too many open files/],
  },
  {
    code: 'system.illegal_instruction',
    patterns: [/Illegal instruction(?: \(core dumped\))?/],
    action: 'retry',
  },
  {
    code: 'clock.certificate',
    patterns: [/certificate is not yet valid/, /certificate has expired/, /CondaSSLError/],
  },
];
