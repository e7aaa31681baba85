/** Failures of the conda family: conda, mamba, micromamba. */
import type { Diagnosis } from './diagnosis.ts';

export const condaDiagnoses: readonly Diagnosis[] = [
  {
    code: 'conda.no_cuda',
    patterns: [
      /nothing provides (?:requested )?__cuda/,
      /__cuda\s.*is missing on the system/,
      /feature:\/linux-64::__cuda/,
    ],
  },
  {
    code: 'conda.not_found',
    patterns: [
      /PackageNotFoundError: .*\bmissing in current\b/,
      /(?:Package|Dependency)s? missing in current \S+ channels/,

      /PackagesNotFoundError/,
      /ResolvePackageNotFound/,
      /package is not available from channel/,
      /does not exist \(perhaps a typo or a missing channel\)/,
      /nothing provides (?<package>\S+).* needed by/,
      /nothing provides requested (?<package>\S+)/,
      /Could not solve for environment specs/,
    ],
    followsFrom: ['conda.conflict'],
  },
  {
    code: 'conda.unreachable',
    patterns: [
      /CondaHTTPError: HTTP (?:000|None) \w+(?: FAILED)? for url <(?<url>[^>]+)>/,
      /(?:Download error|error\s+libmamba Download error|Multi-download failed).*\((?:7|28|35|56)\)/,
      /Could not download .*repodata\.json/,
    ],
    action: 'retry',
  },
  {
    code: 'conda.refused',
    patterns: [
      /CondaHTTPError: HTTP (?<status>[45]\d\d) .*for url <(?<url>[^>]+)>/,
      /UnavailableInvalidChannel/,
      /status: (?<status>[45]\d\d) \[(?<url>[^\]]+)\]/,
    ],
  },
  {
    code: 'conda.conflict',
    patterns: [
      /UnsatisfiableError: The following specifications/,
      /specifications were found to be (?:incompatible|in conflict)/,
      /but none of the providers can be installed/,
      /^Package \S+ conflicts for:/,
      /Found conflicts! Looking for incompatible packages/,
      /conflicts with any installable versions/,
      /is not installable because it conflicts with/,
      /LibMambaUnsatisfiableError/,
      /The following packages are incompatible/,
    ],
    followsFrom: ['conda.no_cuda'],
  },
  {
    code: 'conda.no_file',
    patterns: [/environment\.ya?ml file not found/, /\bEnvironmentFileNotFound\b/, /\bSpecNotFound\b/],
  },
  {
    code: 'conda.exists',
    patterns: [/CondaValueError: prefix already exists: (?<path>\S+)/],
  },
  {
    code: 'conda.no_environment',
    patterns: [
      /CondaEnvironmentNotFoundError/,
      /Could not find (?:conda )?environment: (?<name>\S+)/,

      /prefix does not exist/,
      /EnvironmentLocationNotFound|EnvironmentNameNotFound/,
      /Could not find conda environment: (?<name>\S+)/,
      /DirectoryNotACondaEnvironmentError/,
    ],
  },
  {
    code: 'conda.checksum',
    patterns: [
      /ChecksumMismatchError/,
      /InvalidArchiveError/,
      /appears to be corrupted\. The path/,
      /SHA256 sum doesn't match expectation/,
      /File not valid: (?:SHA256|MD5|file size)/,
    ],
    action: 'retry',
  },
  {
    code: 'conda.terms',
    patterns: [
      /CondaToSNonInteractiveError/,
      /Terms of Service have not been accepted for the following channels/,
    ],
  },
  {
    code: 'conda.not_initialised',
    patterns: [
      /Your shell has not been properly configured to use 'conda activate'/,
      /(?:conda|micromamba|mamba): (?:command )?not found/,
      /Run 'conda init' before 'conda activate'/,
    ],
  },
  {
    code: 'conda.not_writable',
    patterns: [/(?:EnvironmentNotWritable|NoWritableEnvsDir|NoWritablePkgsDir|NotWritable)Error/],
  },
  {
    code: 'conda.pip_failed',
    patterns: [/CondaEnvException: Pip failed/, /^Pip subprocess error/],
    followsFrom: 'any',
  },
  {
    code: 'conda.unsolved',
    patterns: [/Solving environment: failed\s*$/],
    followsFrom: 'any',
  },
];
