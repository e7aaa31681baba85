/** Failures of git. */
import type { Diagnosis } from './diagnosis.ts';

export const gitDiagnoses: readonly Diagnosis[] = [
  {
    code: 'git.transfer',
    patterns: [
      /fatal: the remote end hung up unexpectedly/,
      /inflate: data stream error/,
      /RPC failed; (?:curl|HTTP|result)/,
      /gnutls_handshake\(\) failed/,
      /fetch-pack: unexpected disconnect/,
      /fatal: early EOF/,
      /fatal: (?:fetch-pack: invalid )?index-pack (?:output|failed)/,
      /unexpected disconnect while reading sideband packet/,
      /HTTP\/2 stream \d+ was not closed cleanly/,
      /transfer closed with (?:outstanding read data|\d+ bytes) remaining/,
    ],
    action: 'retry',
    followsFrom: [
      'ssh.host_key_unknown',
      'ssh.host_key_changed',
      'ssh.denied',
      'git.password',
      'git.no_revision',
    ],
  },
  {
    code: 'git.password',
    patterns: [
      /not found: did you run git update-server-info/,
      /Please make sure you have the correct access rights/,

      /could not read (?:Username|Password) for '(?<url>[^']+)'/,
      /Authentication failed for '(?<url>[^']+)'/,
      /Support for password authentication was removed/,
      /(?:remote|ERROR): Repository not found/,
      /fatal: repository '(?<url>[^']+)' not found/,
      /Invalid username or (?:password|token)/,
      /HTTP Basic: Access denied/,
      /terminal prompts disabled/,
      /Permission to \S+ denied to/,
      /Write access to repository not granted/,
    ],
    followsFrom: [
      'ssh.denied',
      'ssh.host_key_unknown',
      'ssh.host_key_changed',
      'network.name',
      'network.timeout',
      'network.refused',
      'ssh.timeout',
      'ssh.refused',
      'ssh.dropped',
    ],
  },
  {
    code: 'git.ownership',
    patterns: [/detected dubious ownership in repository at '(?<path>[^']+)'/],
  },
  {
    code: 'git.no_revision',
    patterns: [
      /Server does not allow request for unadvertised object (?<revision>\w+)/,
      /upload-pack: not our ref (?<revision>\w+)/,
      /but it did not contain (?<revision>\w+)/,

      /Remote branch (?<revision>\S+) not found in upstream/,
      /pathspec '(?<revision>[^']+)' did not match any/,
      /unknown revision or path not in the working tree/,
      /couldn't find remote ref (?<revision>\S+)/,
      /reference is not a tree: (?<revision>\S+)/,
    ],
  },
  {
    code: 'git.folder_exists',
    patterns: [/destination path '(?<path>[^']+)' already exists and is not an empty directory/],
  },
  {
    code: 'git.lfs',
    patterns: [
      /smudge filter lfs failed/,
      /git: 'lfs' is not a git command/,
      /git-lfs.*(?:not found|was not found)/,
      /exceeded its (?:LFS budget|data quota)|over its data quota/,
    ],
  },
  {
    code: 'git.local_changes',
    patterns: [/Your local changes to the following files would be overwritten/],
  },
  {
    code: 'git.locked',
    patterns: [/Unable to create '(?<path>[^']+\.lock)': File exists/],
    action: 'retry',
  },
];
