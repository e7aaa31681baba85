/** Installs Debian packages with apt: waits for its lock, resumes an interrupted dpkg, and never asks anything. */
import { existsSync, readdirSync } from 'node:fs';
import { asRootLine } from './as-root.mjs';
import { lastLines, runCommand } from './command.mjs';
import {
  absentOf,
  aptLine,
  aptTrouble,
  localPackages,
  missingOf,
  remedyFor,
  replaceablePackages,
  servicesOf,
  sizeOf,
  testPackages,
  trainerPackages,
} from './debian-packages.mjs';
import { SetupFailure } from './failure.mjs';
import { thisSystem } from './system.mjs';

/** Milliseconds between two checks of apt's lock, and until the time-out. */
const lockPause = 3000;
const lockPatience = 10 * 60_000;

/** @returns {boolean} whether this is Debian or a derivative */
export const hasApt = () => process.platform === 'linux' && existsSync('/usr/bin/apt-get');

/**
 * @param {import('./progress.mjs').Progress} progress
 * @param {'app' | 'everything'} what `app`: without those that only the tests need
 * @throws SetupFailure with the exact command to type if we may not install
 */
export const debianPackages = (progress, what) =>
  packagesAtHand(progress, [
    ...trainerPackages,
    ...localPackages,
    ...(what === 'everything' ? testPackages : []),
  ]);

/**
 * @param {import('./progress.mjs').Progress} progress
 * @param {readonly string[]} required
 * @throws SetupFailure with the exact command to type if we may not install
 */
export async function packagesAtHand(progress, required) {
  const lacking = missingOf(required, await installedListing(required));
  let missing = await inArchive(lacking);
  if (missing.length === 0) return;
  const become = await rootPrefix();
  if (become === undefined) {
    throw new SetupFailure(
      `${missing.length === 1 ? 'a Debian package is' : 'Debian packages are'} missing and this user may not install: ${missing.join(' ')}`,
      `type this line, then start again:\n${aptLine(missing)}`,
    );
  }
  // A server that was there before without its package is the user's own.
  const unwanted = servicesOf(
    missing.filter((name) => name !== 'openssh-server' || !existsSync('/usr/sbin/sshd')),
  );
  await progress.step(`Debian packages: ${missing.join(' ')}`, async (step) => {
    const apt = (args) => runApt(become, args, step);
    /** What a failed update said: with one source that cannot be read it fails, though the other lists were read. */
    let updateSaid = '';
    if (!hasLists()) {
      updateSaid = await update(apt);
      missing = await inArchive(lacking);
    }
    if (missing.length < lacking.length)
      step.say(
        'this archive has no chromium-headless-shell: name a Chromium for `npm test -- e2e` in RINGLAB_CHROMIUM',
      );
    const install = ['install', '-y', '--no-install-recommends', ...missing];
    const size = sizeOf(
      (await apt(['install', '--assume-no', '--no-install-recommends', ...missing])).output,
    );
    if (size !== undefined) step.say(size);
    let { code, output } = await apt(install);
    if (code !== 0 && aptTrouble(output) === 'interrupted') {
      step.say('dpkg was interrupted earlier: finishing that first');
      await asRoot(become, 'dpkg', ['--configure', '-a'], (line) => step.now(line));
      ({ code, output } = await apt(['install', '-y', '--fix-broken']));
      ({ code, output } = await apt(install));
    }
    if (code !== 0 && updateSaid === '' && ['stale', 'other'].includes(aptTrouble(output))) {
      updateSaid = await update(apt);
      ({ code, output } = await apt(install));
    }
    if (code !== 0)
      throw new SetupFailure(
        'apt could not install the packages',
        remedyFor(output, missing, thisSystem().name, updateSaid),
        [lastLines(updateSaid, 20), lastLines(output, 40)].filter((words) => words !== '').join('\n\n'),
      );
    if (unwanted.length > 0) await keepOff(become, step, unwanted);
  });
}

/** @param {readonly string[]} packages */
export async function installedListing(packages) {
  // dpkg-query fails if a package is unknown, but still lists the others.
  const { output } = await runCommand('dpkg-query', [
    '-W',
    '-f',
    '${Package} ${db:Status-Abbrev} ${Version}\\n',
    ...packages,
  ]);
  return output;
}

/** Those of the packages that apt can install, or must, as far as its lists say. @param {readonly string[]} packages */
async function inArchive(packages) {
  const asked = packages.filter((name) => replaceablePackages.includes(name));
  if (asked.length === 0 || !hasLists()) return packages;
  const env = { ...process.env, LC_ALL: 'C' };
  const { output } = await runCommand('apt-cache', ['policy', ...asked], { env });
  const absent = absentOf(asked, output);
  return packages.filter((name) => !absent.includes(name));
}

/** The command prefix that runs as root without a question: nothing, `sudo -n`, or undefined if neither works. */
async function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  const { code } = await runCommand('sudo', ['-n', 'true'], { timeout: 20_000 });
  return code === 0 ? ['sudo', '-n'] : undefined;
}

function asRoot(become, program, args, onLine) {
  const [first, ...rest] = [...become, 'env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C', program, ...args];
  return runCommand(first, rest, { onLine });
}

/** Runs apt-get; while another program holds its lock, reports that and waits. */
async function runApt(become, args, step) {
  const giveUp = Date.now() + lockPatience;
  for (let reported = false; ;) {
    const result = await asRoot(become, 'apt-get', ['-q', ...args], (line) => {
      if (/^(?:Get:|Unpacking|Setting up|Preparing)/.test(line)) step.now(line);
    });
    if (result.code === 0 || aptTrouble(result.output) !== 'locked' || Date.now() > giveUp) return result;
    if (!reported) step.say('another program is using apt (perhaps automatic updates): waiting for it');
    reported = true;
    step.now('waiting for apt’s lock');
    await new Promise((resolve) => setTimeout(resolve, lockPause));
  }
}

/** @returns {Promise<string>} what it said if it failed: what is to be installed may be in the lists that it could read */
async function update(apt) {
  const { code, output } = await apt(['update']);
  if (code === 0) return '';
  if (aptTrouble(output) === 'locked') {
    throw new SetupFailure(
      'apt could not read the lists of packages',
      remedyFor(output, [], thisSystem().name),
      lastLines(output, 30),
    );
  }
  return output;
}

function hasLists() {
  try {
    return readdirSync('/var/lib/apt/lists').some((name) => /_Packages(\.|$)/.test(name));
  } catch {
    return false;
  }
}

/** The tests need the programs only, but Debian also starts servers, so we stop those. */
async function keepOff(become, step, unwanted) {
  if (!existsSync('/run/systemd/system')) return;
  await asRoot(become, 'systemctl', ['disable', '--now', ...unwanted], undefined);
  step.say(
    `installed for the tests and switched off: ${unwanted.join(', ')} (${asRootLine([`systemctl enable --now ${unwanted[0]}`])})`,
  );
}
