/** The Debian packages that Ringlab needs, with their purpose: `npm start` installs the first two lists, `npm test` all. */
import { asRootLine } from './as-root.mjs';

/** For training on this machine: the libraries and the tools that build the trainer. */
export const trainerPackages = [
  'libtorch-dev',
  'libjpeg-dev',
  'libtiff-dev',
  'libwebp-dev',
  'zlib1g-dev',
  'cmake',
  'ninja-build',
  'g++',
];

/** For local nodes: the emulated network, scripts of PyTorch, and the user's own SSH configuration. */
export const localPackages = ['iproute2', 'procps', 'openssh-client', 'python3-torch'];
/** A Slurm cluster for tests, on this machine. */
const slurmPackages = ['munge', 'slurm-client', 'slurmctld', 'slurmd'];

/** What such a cluster needs to record its jobs. */
export const accountingPackages = ['slurmdbd', 'mariadb-server-core', 'mariadb-client-core'];

/** What Kubernetes' control plane needs in tests. */
export const controlPlanePackages = ['etcd-server', 'containerd', 'runc', 'containernetworking-plugins'];

/** For the tests: Python's torch loads our checkpoints, real sshd and dropbear servers and sudo answer us, Chromium shows the window without one on a screen. */
export const testPackages = [
  'libgtest-dev',
  'libpng-dev',
  'python3-torchvision',
  'openssh-server',
  'sudo',
  'dropbear-bin',
  'chromium-headless-shell',
  'fonts-noto-cjk',
  'nftables',
  'wireguard-tools',
  'wireguard-go',
  'curl',
  'wget',
  'bzip2',
  'unzip',
  'dpkg-dev',
  ...slurmPackages,
];

/** Left out where the archive has none: Ubuntu's has Chromium as a snap alone. The end-to-end tests take another browser. */
export const replaceablePackages = ['chromium-headless-shell'];

/** Services that Debian starts with these packages; the tests need the programs alone. */
const services = new Map([
  ['openssh-server', ['ssh.service', 'ssh.socket']],
  ['munge', ['munge.service']],
  ['slurmctld', ['slurmctld.service']],
  ['slurmd', ['slurmd.service']],
  ['slurmdbd', ['slurmdbd.service']],
  ['etcd-server', ['etcd.service']],
]);

/**
 * @param {readonly string[]} packages
 * @returns {string[]} the services of those among them that start one
 */
export const servicesOf = (packages) => packages.flatMap((name) => services.get(name) ?? []);

/**
 * @param {readonly string[]} required
 * @param {string} listing the output of `dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n'`
 * @returns {string[]} the packages that are not installed and configured
 */
export function missingOf(required, listing) {
  const installed = new Set();
  for (const line of listing.split('\n')) {
    const [name, status] = line.trim().split(/\s+/);
    // Its first letter is what is wanted, such as `h` for a package on hold; its second, what is there.
    if (name !== undefined && status !== undefined && /^.i$/.test(status)) installed.add(name);
  }
  return required.filter((name) => !installed.has(name));
}

/**
 * @param {readonly string[]} asked
 * @param {string} policy the output of `apt-cache policy` for them, in English
 * @returns {string[]} those that apt has nothing to install of
 */
export function absentOf(asked, policy) {
  const offered = new Set();
  for (const [, name] of policy.matchAll(/^(\S+):\n(?: .*\n)*? +Candidate: (?!\(none\))/gm))
    offered.add(name);
  return asked.filter((name) => !offered.has(name));
}

/**
 * Classifies a failure of apt or dpkg by its output.
 * @param {string} output
 * @returns {'locked' | 'interrupted' | 'stale' | 'offline' | 'full' | 'other'}
 */
export function aptTrouble(output) {
  if (/Could not get lock|Unable to (?:acquire|lock)|is another process using it/i.test(output))
    return 'locked';
  if (/dpkg was interrupted|dpkg --configure -a/.test(output)) return 'interrupted';
  if (/No space left on device|don't have enough free space/.test(output)) return 'full';
  if (
    /Temporary failure resolving|Could not resolve|Could not connect|Connection timed out|Network is unreachable/.test(
      output,
    )
  )
    return 'offline';
  if (
    /Unable to locate package|has no installation candidate|404 +Not Found|Hash Sum mismatch|Failed to fetch/.test(
      output,
    )
  )
    return 'stale';
  return 'other';
}

/**
 * What apt says about the size of an installation before it begins.
 * @param {string} output of `apt-get install --assume-no`
 */
export function sizeOf(output) {
  const download = /^Need to get ([\d.,]+ [kMGT]?B)(?:\/[\d.,]+ [kMGT]?B)? of archives/m.exec(output)?.[1];
  const disk = /^After this operation, ([\d.,]+ [kMGT]?B) of additional disk space/m.exec(output)?.[1];
  if (download === undefined) return undefined;
  return `to download: ${download}${disk === undefined ? '' : `, ${disk} on disk`}`;
}

/**
 * The installation is tried after a failed update, too: that fails for one source that cannot be read.
 * @param {readonly string[]} packages
 * @param {import('./as-root.mjs').Way} [way]
 */
export const aptLine = (packages, way = undefined) =>
  asRootLine(['apt-get update', `apt-get install -y --no-install-recommends ${packages.join(' ')}`], { way });

const offlineRemedy =
  'check the network and the addresses in /etc/apt/sources.list and /etc/apt/sources.list.d, then start again';

/**
 * What to do about a failure of apt or dpkg.
 * @param {string} output
 * @param {readonly string[]} missing the packages that were to be installed
 * @param {string} system its name
 * @param {string} [update] what a failed update of the lists said before
 */
export function remedyFor(output, missing, system, update = '') {
  switch (aptTrouble(output)) {
    case 'locked':
      return 'another program holds apt’s lock for ten minutes now: let it finish or end it, then start again';
    case 'interrupted':
      return `type \`${asRootLine(['dpkg --configure -a'])}\`, then start again`;
    case 'full':
      return 'the disk is full: the packages need about 2.5 GB (see `df -h /`); make room, then start again';
    case 'offline':
      return offlineRemedy;
    case 'stale':
      if (update !== '')
        return aptTrouble(update) === 'full' ? remedyFor(update, missing, system) : offlineRemedy;
      return `a package is not in the sources of this ${system}; with the archive’s section main (Ubuntu: also universe) this works:\n${aptLine(missing)}`;
    case 'other':
      return `see why apt refuses by typing the line yourself, then start again:\n${aptLine(missing)}`;
  }
}
