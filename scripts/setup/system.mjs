/** Which systems are supported and how: all of Ringlab, or everything except local nodes. */
import { readFileSync } from 'node:fs';
import { release } from 'node:os';

/** Distributions with Debian packages of libtorch that the trainer builds with: all of Ringlab, local nodes included. */
const complete = { debian: ['12', '13'], ubuntu: ['22.04', '24.04'] };

/**
 * @typedef {object} System
 * @property {string} name for users, such as `Debian 12` or `Windows 10.0.26100`
 * @property {'complete' | 'remote'} support `remote`: draws, starts and follows experiments on machines reached by SSH;
 *   has no local nodes, and needs no compiler, no libtorch and no apt
 *
 * @param {{ platform: string, arch: string, release: string, osRelease: string }} facts `process.platform`, `process.arch`,
 *   `os.release()` and the text of /etc/os-release, empty on other systems than Linux
 * @returns {System}
 */
export function systemOf({ platform, arch, release: kernel, osRelease }) {
  if (platform === 'win32') return { name: `Windows ${kernel}`, support: 'remote' };
  if (platform === 'darwin')
    return {
      name: `macOS (Darwin ${kernel}, ${arch === 'arm64' ? 'Apple silicon' : 'Intel'})`,
      support: 'remote',
    };
  if (platform !== 'linux') return { name: `${platform} ${kernel}`, support: 'remote' };
  const {
    ID: id = 'linux',
    VERSION_ID: version = '',
    PRETTY_NAME: pretty,
    NAME: plain,
  } = fieldsOf(osRelease);
  const isComplete = Object.hasOwn(complete, id) && complete[id].includes(version);
  return {
    name: pretty ?? `${plain ?? 'Linux'} ${version}`.trim(),
    support: isComplete ? 'complete' : 'remote',
  };
}

/** The variables of /etc/os-release: shell assignments without expansions. @param {string} text */
function fieldsOf(text) {
  const fields = {};
  for (const line of text.split(/\r?\n/)) {
    const [, key, value] = /^([A-Z_][A-Z\d_]*)=(.*)$/.exec(line.trim()) ?? [];
    if (key !== undefined)
      fields[key] = value.replace(/^(["'])(.*)\1$/, '$2').replaceAll(/\\(["'`$\\])/g, '$1');
  }
  return fields;
}

/** @returns {System} this computer's */
export const thisSystem = () =>
  systemOf({
    platform: process.platform,
    arch: process.arch,
    release: release(),
    osRelease: process.platform === 'linux' ? readOsRelease() : '',
  });

function readOsRelease() {
  for (const path of ['/etc/os-release', '/usr/lib/os-release']) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // A system without it is none of those above.
    }
  }
  return '';
}

/** For users. */
export const localNodesNeed = 'Nodes on this computer itself need Debian 12 or 13, or Ubuntu 22.04 or 24.04.';

/**
 * What the set-up says about a system without local nodes; undefined where there is nothing to say.
 * @param {System} system @param {boolean} hasTrainer whether one was built here all the same
 */
export const limitsOf = ({ name, support }, hasTrainer) =>
  support === 'complete' || hasTrainer
    ? undefined
    : `${name}: Ringlab draws labs here and trains on Linux machines that it reaches by SSH. Nothing else is needed: no compiler, no libtorch.\n` +
      'Each machine builds its trainer by itself, or uses the one of its kind. ' +
      localNodesNeed;

/**
 * What the set-up does.
 * @typedef {object} Work
 * @property {'none' | 'app' | 'everything'} packages of Debian's package manager: what local nodes need, or the tests' as well
 * @property {boolean} trainer whether it is built
 *
 * @param {System} system
 * @param {{ purpose: 'app' | 'tests', apt: boolean, hasTrainer: boolean }} needs `app`: to open the window or to use the
 *   command line. `tests`: everything, with a failure where this system cannot have it
 * @returns {Work}
 */
export function workOf({ support }, { purpose, apt, hasTrainer }) {
  if (purpose === 'tests') return { packages: apt ? 'everything' : 'none', trainer: true };
  if (support === 'complete') return { packages: apt ? 'app' : 'none', trainer: true };
  // Someone has built a trainer with a libtorch of their own: it is kept up to date with its sources.
  return { packages: 'none', trainer: hasTrainer };
}
