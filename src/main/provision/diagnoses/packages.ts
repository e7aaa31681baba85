/** Failures of apt and dpkg, and of sudo. */
import type { Diagnosis } from './diagnosis.ts';

export const packageDiagnoses: readonly Diagnosis[] = [
  {
    code: 'apt.database',
    patterns: [
      /dpkg: unrecoverable fatal error/,

      /needs to be reinstalled, but I can't find an archive for it/,
      /dpkg: error: parsing file/,
      /package is in a very bad inconsistent state/,
      /files list file for package '[^']+' (?:is missing|contains empty filename)/,
    ],
  },
  {
    code: 'apt.lists',
    patterns: [
      /Reading package lists\.\.\. Error!/,

      /into data and signature failed/,

      /Encountered a section with no Package: header/,
      /The package cache file is corrupted/,
      /Problem with MergeList/,
      /The package lists or status file could not be parsed or opened/,
      /Could not open file \/var\/lib\/apt\/lists/,
    ],
    action: 'retry',
  },
  {
    code: 'sudo.no_new_privileges',
    patterns: [
      /sudo: The "no new privileges" flag is set/,
      /sudo: effective uid is not 0/,
      /sudo: .* must be owned by uid 0 and have the setuid bit set/,
    ],
  },
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
      /another (?:apt|dpkg|package manager|installation)\b.{0,30} is (?:already )?(?:running|in progress)/,
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
    code: 'apt.not_confirmed',
    patterns: [/\[[Yy]\/[Nn]\]\s*Abort\.?/],
  },
  {
    code: 'apt.no_such_package',
    patterns: [
      /E: Unable to locate package (?<package>\S+)/,
      /Package '?(?<package>[^' ]+)'? has no installation candidate/,
      /Package (?<package>\S+) is not available, but is referred to by another package/,
      /Couldn't find any package by (?:glob|regex) '(?<package>[^']+)'/,
      /Version '[^']+' for '(?<package>[^']+)' was not found/,
    ],
  },
  {
    code: 'apt.unmet',
    patterns: [
      /The following packages have unmet dependencies/,
      /you have held broken packages/,
      /Depends: .+ but (?:it|\S+) is (?:not (?:going to be installed|installable)|to be installed)/,
      /Unmet dependencies\. Try/,
      /pkgProblemResolver::Resolve generated breaks/,
      /Unable to satisfy dependencies\. Reached two conflicting/,
      /dependency problems prevent configuration of/,
    ],
  },
  {
    code: 'apt.hash',
    patterns: [
      /Hash (?:校验和不符|Sum 不一致)|La suma hash difiere|Hash-Summe stimmt nicht/,
      /Hash Sum mismatch/,
      /File has unexpected size .*Mirror sync in progress/,
      /File has unexpected size/,
      /Hashes of expected file/,
    ],
    action: 'retry',
  },
  {
    code: 'apt.unknown_key',
    patterns: [
      /public key is not available: NO_PUBKEY (?<key>\w+)/,
      /is (?:not|no longer) signed\b/,
      /\bNO_PUBKEY (?<key>\w+)/,
      /Missing key (?<key>[0-9A-F]{16,40}), which is needed to verify signature/,
    ],
    followsFrom: ['apt.bad_signature', 'network.portal', 'apt.lists', 'disk.full'],
  },
  {
    code: 'apt.release_gone',
    patterns: [
      /The repository '(?<source>[^']+)' (?:does not have|no longer has) a Release file/,
      /(?:does not have|no longer has) a Release file/,
    ],
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
      /Type '[^']*' is not known on line \d+ in source list/,
      /The method driver \S+ could not be found/,
      /is invalid for APT::Default-Release/,
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
      /Sub-process \/usr\/bin\/sqv returned an error code/,
      /SHA1 is not considered secure/,
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
    patterns: [/Failed to fetch (?<url>\S+)\s+404\s+Not Found/, /^Err:\d+ (?<url>\S+).*\s404\s+Not Found/],
    action: 'retry',
  },
  {
    code: 'apt.mirror_failed',
    patterns: [
      /Failed to fetch (?<url>\S+)\s+(?<status>[45]\d\d)\s/,
      /^Err:\d+ (?<url>\S+).*\s(?<status>[45]\d\d)\s/,
    ],
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
      'file.denied',
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
    code: 'apt.key_damaged',
    patterns: [
      /no valid OpenPGP data found/,
      /are ignored as the file (?:has an unsupported filetype|is not readable)/,
    ],
  },
  {
    code: 'sudo.wrong_password',
    patterns: [/sudo: \d+ incorrect password attempts?/],
    action: 'ask_password',
    followsFrom: ['sudo.password'],
  },
  {
    code: 'apt.keyserver',
    patterns: [/keyserver receive failed/],
  },
  {
    code: 'apt.fetch',
    patterns: [
      /Some index files failed to download/,

      /Failed to fetch (?<url>\S+)\s+(?:Error reading from server|Connection failed|Undetermined Error)/,
      /Unable to fetch some archives, maybe run apt-get update/,
    ],
    followsFrom: 'any',
    action: 'retry',
  },
];
