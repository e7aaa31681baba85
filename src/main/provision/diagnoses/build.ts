/** Failures of compilers, libraries, archives and downloads. */
import type { Diagnosis } from './diagnosis.ts';

export const buildDiagnoses: readonly Diagnosis[] = [
  {
    code: 'build.python_headers',
    patterns: [/fatal error: Python\.h: No such file/],
  },
  {
    code: 'build.compiler_new',
    patterns: [
      /unsupported GNU version! gcc versions later than (?<newest>\d+) are not supported/,
      /unsupported (?:GNU|clang) version/,
    ],
  },
  {
    code: 'build.compiler_old',
    patterns: [
      /too old version of GCC/,
      /You need C\+\+(?<wanted>\d+) to compile PyTorch/,
      /C\+\+ versions less than C\+\+(?<wanted>\d+) are not supported/,
      /unrecognized command[- ]line option .-std=(?:c|gnu)\+\+(?<wanted>\w+)/,
    ],
  },
  {
    code: 'build.no_compiler',
    patterns: [
      /No CMAKE_C(?:XX)?_COMPILER could be found/,
      /CMAKE_C(?:XX)?_COMPILER not set/,
      /Failed to find C compiler/,
      /(?:unable to execute|error: command) '\S*(?:gcc|g\+\+|cc|c\+\+|clang)'?(?: failed)?: No such file or directory/,
      /\b(?:gcc|g\+\+|cc|c\+\+|clang): (?:command )?not found/,
      /Could not find compiler set in environment variable/,
    ],
  },
  {
    code: 'build.no_ninja',
    patterns: [
      /Ninja is required to load C\+\+ extensions/,
      /unable to find (?:a build program corresponding to "Ninja"|Ninja)/,
    ],
  },
  {
    code: 'build.killed',
    patterns: [
      /fatal error: Killed signal terminated program (?<program>cc1plus|as|ld)/,
      /internal compiler error: Killed \(program cc1plus\)/,
      /Killed signal terminated program/,
      /\b(?:cc1plus|nvcc|cicc|ptxas)\b.{0,40}\b(?:Killed|died due to signal 9)\b/,
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
      /extensions? requires PyTorch\b/,
    ],
    action: 'retry',
  },
  {
    code: 'build.no_library',
    patterns: [
      /Could NOT find (?<library>JPEG|ZLIB|Threads|MPI)\b/,
      /fatal error: (?<library>jpeglib|zlib)\.h: No such file/,
      /Could NOT find (?<library>\w+) \(missing:/,
      /cannot find -l(?<library>\w+)/,
      /No package '(?<library>[^']+)' found/,
      /Package '?(?<library>[^' ]+)'?(?:, required by .*)?,? (?:was )?not found in the pkg-config/,
      /fatal error: (?<library>[\w./+-]+\.h(?:pp|xx)?): No such file or directory/,
    ],
    action: 'retry',
  },
  {
    code: 'library.glibc_old',
    patterns: [
      /version [`']GLIBC_(?<wanted>[\d.]+)' not found/,
      /GLIBC_(?<wanted>[\d.]+)['`]? not found/,
      /Missing GLIBC >= (?<wanted>[\d.]+)/,
      /requires glibc (?:>= ?)?(?<wanted>\d[\d.]+)/,
    ],
    action: 'retry',
  },
  {
    code: 'library.libstdcxx_old',
    patterns: [/version [`'](?<wanted>(?:GLIBCXX|CXXABI)_[\d.]+)' not found/],
  },
  {
    code: 'library.cuda_missing',
    patterns: [
      /(?<library>lib(?:cudnn|cublas|cudart|nccl|cufft|curand|cusparse|cusolver|cupti|cufile|nvrtc|nvJitLink|nvToolsExt|nvjpeg|nvinfer|nvshmem|npp)[\w-]*\.so[\d.]*): cannot open shared object file/,
      /Could not load library (?<library>libcudnn\S+?)\.? Error/,
      /Unable to load any of \{(?<library>libcudnn[^,}]+)/,
      /Could not load (?:dynamic library|library) '?(?<library>lib(?:cu|nv)[^'\s]+)/,
      /Library (?<library>lib(?:cu|nv)\S+) is not found or cannot be loaded/,
      /failed to open (?<library>libnvrtc-builtins\S*)/,
    ],
  },
  {
    code: 'library.symbol',
    patterns: [/undefined symbol: (?<symbol>\S+)/, /\bundefined symbol\b/],
  },
  {
    code: 'library.missing',
    patterns: [
      /(?:OSError|ImportError): (?<library>\S+\.so[\d.]*): cannot open shared object file/,

      /error while loading shared libraries: (?<library>[^:]+): cannot open shared object file/,
      /(?:OSError|ImportError): (?<library>lib\S+): cannot open shared object file/,
      /(?<library>lib[\w.+-]+\.so[\d.]*): cannot open shared object file/,
    ],
    action: 'retry',
  },
  {
    code: 'archive.damaged',
    patterns: [
      /Failed to (?:unzip|extract|unpack) (?:wheel|archive|file)/,
      /ERROR: Wheel '[^']+' located at \S+ is invalid/,

      /^(?:gzip|gunzip|xz|bzip2|zstd|tar|unzip|lzma)\b.*(?:unexpected end of|not in gzip format|invalid compressed data|crc error|format not recognized|data is corrupt|unsupported format)/,
      /tar: (?:Unexpected EOF in archive|This does not look like a tar archive|Truncated input file)/,
      /Truncated (?:tar|zip) archive/,
      /Unexpected end of archive/,
      /zipfile corrupt|central directory not found/,
      /Data integrity error when decompressing/,
      /Unconfirmed start of archive|^\s*Headers Error/,
      /(?:not a valid|Cannot open|Can not open)(?: the)?(?: file as)? (?:zip |tar |7z )?archive/,
      /zip (?:file|archive) is (?:truncated|corrupt)/,
      /Compressed file ended before the end-of-stream marker/,
      /\bBadZip[Ff]ile\b/,
      /\bbad CRC [0-9a-f]{6,8}/,
      /CRC (?:failed|check failed)/,
      /End-of-central-directory signature not found/,
      /cannot find zipfile directory/,
      /tarfile\.ReadError/,
      /Not a gzipped file/,
      /zlib\.error: Error -\d/,
      /LZMAError/,
      /dpkg-deb.*(?:corrupted|read error|lzma error|unexpected end)/,
      /Failed to (?:read from|extract) zip (?:file|archive)/,
      /(?:stdin\)?|\.(?:gz|xz|bz2|zst|tgz|zip)): (?:unexpected end of|not in gzip format|File format not recognized|Compressed data is corrupt|data integrity error)/,
      /tar: Skipping to next header/,
      /\bFile is not a zip file\b/,
      /\binvalid (?:stored block lengths|distance too far back|block type|tar header)\b/,
    ],
    action: 'retry',
    followsFrom: ['disk.full'],
  },
  {
    code: 'download.checksum',
    patterns: [
      /NonMatchingChecksumError/,
      /computed checksums? did NOT match/,
      /\b(?:hash|checksum|sha256|md5)\b.{0,40}\b(?:mismatch|does not match|do not match|doesn't match)\b/,
      /invalid hash value \(expected/,
      /\bFile not found or corrupted\b/,
      /\b(?:MD5|SHA\d*|checksum|hash|digest)\b.{0,100}\b(?:does not match|did not match|mismatch|verification failed)\b/,
    ],
    action: 'retry',
    followsFrom: 'any',
  },
  {
    code: 'build.cuda_mismatch',
    patterns: [
      /name '(?:bare_metal_version|nvcc_\w+)' is not defined/,

      /detected CUDA version \((?<found>[\d.]+)\) mismatches the version that was used to compile PyTorch \((?<wanted>[\d.]+)\)/,
      /CUDA_HOME environment variable is not set/,
      /nvcc: (?:command )?not found/,
      /command not found: nvcc/,
      /\bBuilding (?:CUDA|cuda) extensions? requires (?!PyTorch)/,
      /CUDA_HOME.{0,60}(?:not set|does not exist)/,
      /Could NOT find CUDA(?:Toolkit)?\b/,
      /\bnvcc\b.{0,30}(?:not found|was not found)/,
      /Failed to find nvcc/,
      /No CUDA toolset found/,
    ],
  },
  {
    code: 'build.cmake_new',
    patterns: [/Compatibility with CMake < (?<oldest>[\d.]+) has been removed from CMake/],
  },
  {
    code: 'build.failed',
    patterns: [/ninja: build stopped: subcommand failed/, /^make(?:\[1\])?: \*\*\* \[.*\] Error \d+/],
    followsFrom: 'any',
  },
  {
    code: 'build.extension',
    patterns: [
      /RuntimeError: Error compiling objects for extension/,
      /CalledProcessError: Command '\['ninja'/,
    ],
    followsFrom: 'any',
  },
];
