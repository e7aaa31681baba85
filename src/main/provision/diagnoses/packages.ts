/** Failures of apt and dpkg, sudo, and the conda family. */
import type { Diagnosis } from './diagnosis.ts';

export const packageDiagnoses: readonly Diagnosis[] = [
  {
    code: 'apt.locked',
    patterns: [
      /Could not get lock \/var\/lib\/(?:dpkg|apt)\S*\. It is held by process (?<pid>\d+) \((?<program>[^)]+)\)/,
      /Could not get lock \/var\/lib\/(?:dpkg|apt)\S* - open \(11/,
      /Unable to acquire the dpkg frontend lock/,
    ],
    action: 'retry',
  },
  {
    code: 'apt.interrupted',
    patterns: [/dpkg was interrupted, you must manually run/],
  },
  {
    code: 'apt.no_such_package',
    patterns: [
      /E: Unable to locate package (?<package>\S+)/,
      /E: Package '(?<package>[^']+)' has no installation candidate/,
    ],
  },
  {
    code: 'apt.unmet',
    patterns: [/The following packages have unmet dependencies/, /you have held broken packages/],
  },
  {
    code: 'apt.hash',
    patterns: [/Hash Sum mismatch/, /File has unexpected size .*Mirror sync in progress/],
    action: 'retry',
  },
  {
    code: 'apt.unknown_key',
    patterns: [/public key is not available: NO_PUBKEY (?<key>\w+)/, /is not signed\.$/],
  },
  {
    code: 'apt.release_gone',
    patterns: [/The repository '(?<source>[^']+)' (?:does not have|no longer has) a Release file/],
  },
  {
    code: 'apt.clock',
    patterns: [/is not valid yet \(invalid for another/],
    action: 'retry',
  },
  {
    code: 'sudo.password',
    patterns: [
      /sudo: a (?:password is required|terminal is required to read the password)/,
      /sudo: no tty present and no askpass/,
    ],
    action: 'ask_password',
  },
  {
    code: 'sudo.denied',
    patterns: [
      /(?<user>\S+) is not in the sudoers file/,
      /Sorry, user (?<user>\S+) (?:may not run sudo|is not allowed to execute)/,
    ],
  },
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
      /PackagesNotFoundError/,
      /nothing provides requested (?<package>\S+)/,
      /Could not solve for environment specs/,
    ],
  },
  {
    code: 'conda.unreachable',
    patterns: [
      /CondaHTTPError: HTTP 000 CONNECTION FAILED for url <(?<url>[^>]+)>/,
      /(?:Download error|error\s+libmamba Download error|Multi-download failed).*\((?:6|7|28|35|56)\)/,
      /Could not download .*repodata\.json/i,
    ],
    action: 'retry',
  },
  {
    code: 'conda.checksum',
    patterns: [
      /ChecksumMismatchError/,
      /SHA256 sum doesn't match expectation/i,
      /File not valid: (?:SHA256|MD5|file size)/i,
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
    ],
  },
];
