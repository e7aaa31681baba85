/** Failures of apt and dpkg, sudo, and the conda family. */
import type { Diagnosis } from './diagnosis.ts';

export const packageDiagnoses: readonly Diagnosis[] = [
  {
    code: 'apt.not_root',
    patterns: [
      /Could not open lock file \S+ - open \(13: Permission denied\)/,
      /are you root\?/,
      /requested operation requires superuser privilege/,
    ],
  },
  {
    code: 'apt.locked',
    patterns: [
      /Could not get lock \/var\/lib\/(?:dpkg|apt)\S*\. It is held by process (?<pid>\d+) \((?<program>[^)]+)\)/,
      /Could not get lock \/var\/lib\/(?:dpkg|apt)\S* - open \(11/,
      /Unable to acquire the dpkg frontend lock/,
      /Could not get lock \/var\/(?:lib|cache)\/(?:dpkg|apt|debconf)/,
      /dpkg (?:frontend lock|status database) (?:is|was) locked by another process/,
      /Could not lock the cache file/,
      /Failed to lock apt for exclusive operation/,
      /another (?:apt|dpkg|package manager|installation)\b.{0,30} is (?:already )?(?:running|in progress)/i,
      /Unable to lock (?:directory \/var\/lib\/apt\/lists|the administration directory)/,
      /debconf: DbDriver "config": \S+ is locked by another process/,
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
      /Package '?(?<package>[^' ]+)'? has no installation candidate/,
      /Package (?<package>\S+) is not available, but is referred to by another package/,
    ],
  },
  {
    code: 'apt.unmet',
    patterns: [
      /The following packages have unmet dependencies/,
      /you have held broken packages/,
      /Depends: .+ but (?:it|\S+) is (?:not (?:going to be installed|installable)|to be installed)/,
      /Unmet dependencies\. Try/,
    ],
  },
  {
    code: 'apt.hash',
    patterns: [/Hash Sum mismatch/, /File has unexpected size .*Mirror sync in progress/],
    action: 'retry',
  },
  {
    code: 'apt.unknown_key',
    patterns: [/public key is not available: NO_PUBKEY (?<key>\w+)/, /is (?:not|no longer) signed\b/],
  },
  {
    code: 'apt.release_gone',
    patterns: [/The repository '(?<source>[^']+)' (?:does not have|no longer has) a Release file/],
  },
  {
    code: 'apt.unauthenticated',
    patterns: [
      /There (?:are problems|were unauthenticated packages) and -y was used without/,
      /The following packages cannot be authenticated/,
    ],
    followsFrom: ['apt.unknown_key', 'apt.bad_signature'],
  },
  {
    code: 'apt.overwrite',
    patterns: [/trying to overwrite '(?<path>[^']+)', which is also in package (?<package>\S+)/],
  },
  {
    code: 'apt.bad_source',
    patterns: [
      /Malformed (?:entry|line|stanza) \d+ in/,
      /Conflicting values set for option Signed-By/,
      /The list of sources could not be read/,
    ],
  },
  {
    code: 'apt.release_changed',
    patterns: [/Repository '(?<source>[^']+)' changed its '(?<what>\w+)' value from/],
  },
  {
    code: 'apt.bad_signature',
    patterns: [
      /signatures were invalid/,
      /\b(?:EXPKEYSIG|KEYEXPIRED|REVKEYSIG|BADSIG)\b/,
      /At least one invalid signature/,
    ],
  },
  {
    code: 'apt.bad_release',
    patterns: [
      /Invalid '(?<what>[\w-]+)' entry in Release file/,
      /No Hash entry in Release file/,
      /Unable to find expected entry '[^']+' in Release file/,
      /The repository '[^']+' doesn't support architecture|doesn't support architecture '/,
    ],
  },
  {
    code: 'apt.release_expired',
    patterns: [/Release file for \S+ is expired \(invalid since/],
  },
  {
    code: 'apt.not_there',
    patterns: [/Failed to fetch (?<url>\S+)\s+404\s+Not Found/],
    action: 'retry',
  },
  {
    code: 'apt.mirror_failed',
    patterns: [/Failed to fetch (?<url>\S+)\s+(?<status>[45]\d\d)\s/],
    action: 'retry',
  },
  {
    code: 'apt.clock',
    patterns: [/is not valid yet \(invalid for another/],
    action: 'retry',
  },
  {
    code: 'apt.dpkg_failed',
    patterns: [
      /dpkg: error processing (?:package|archive) (?<package>\S+)/,
      /(?:pre|post)-(?:installation|removal) (?:package )?script subprocess returned error/,
      /subprocess installed (?:pre|post)-\w+ script returned error/,
      /Sub-process \/usr\/bin\/dpkg returned an error code/,
    ],
    followsFrom: [
      'driver.dkms_failed',
      'driver.no_headers',
      'disk.full',
      'disk.read_only',
      'apt.locked',
      'archive.damaged',
      'apt.overwrite',
    ],
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
      /(?<![^\s])(?<user>\S{1,64}) is not in the sudoers file/,
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
      /ResolvePackageNotFound/,
      /package is not available from channel/,
      /does not exist \(perhaps a typo or a missing channel\)/,
      /nothing provides (?<package>\S+).* needed by/,
      /nothing provides requested (?<package>\S+)/,
      /Could not solve for environment specs/,
    ],
  },
  {
    code: 'conda.unreachable',
    patterns: [
      /CondaHTTPError: HTTP (?:000|None) \w+(?: FAILED)? for url <(?<url>[^>]+)>/,
      /(?:Download error|error\s+libmamba Download error|Multi-download failed).*\((?:6|7|28|35|56)\)/,
      /Could not download .*repodata\.json/i,
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
    ],
  },
  {
    code: 'conda.no_environment',
    patterns: [
      /prefix does not exist/i,
      /EnvironmentLocationNotFound|EnvironmentNameNotFound/,
      /Could not find conda environment: (?<name>\S+)/,
    ],
  },
  {
    code: 'conda.checksum',
    patterns: [
      /ChecksumMismatchError/,
      /InvalidArchiveError/,
      /appears to be corrupted\. The path/,
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
