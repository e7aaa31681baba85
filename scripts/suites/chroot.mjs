/** A Debian of another release in a folder below .cache/, to build and test against its libraries. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lastLines, runCommand } from '../setup/command.mjs';
import { packagesAtHand } from '../setup/debian.mjs';
import { SetupFailure } from '../setup/failure.mjs';
import { cacheFolder, root } from '../setup/project.mjs';
import { show } from './show.mjs';

/** The keys with which debootstrap verifies the packages are installed with it. */
const tools = ['debootstrap', 'debian-archive-keyring'];
const mirror = 'http://deb.debian.org/debian';

/**
 * All mounts are in a namespace of the command's own: none is left behind, whatever happens, and none of others that end outside is kept.
 * Shared folders have the same path inside as outside.
 */
const enter = `set -e
folder=$0 shared=$1 cwd=$2
shift 2
# A mount of its own: \`ip netns exec\` changes how / is shared.
mount --bind "$folder" "$folder"
[ -e "$folder/etc/hosts" ] || printf '127.0.0.1 localhost\\n::1 localhost\\n' > "$folder/etc/hosts"
mount -t proc proc "$folder/proc"
mount --rbind /sys "$folder/sys"
mount --rbind /dev "$folder/dev"
if [ -n "$shared" ]; then
  mkdir -p "$folder$shared"
  mount --bind "$shared" "$folder$shared"
fi
cp /etc/resolv.conf "$folder/etc/resolv.conf"
exec chroot "$folder" /usr/bin/env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive \\
  sh -c 'cd "$0" && exec "$@"' "$cwd" "$@"`;

/**
 * The arguments of `unshare` that run a program in a chroot.
 * @param {string} folder
 * @param {readonly string[]} program with its arguments
 * @param {{ shared?: string, cwd?: string }} [options] a folder of this machine that is visible inside; the working folder
 */
export const inChroot = (folder, program, { shared = '', cwd = '/' } = {}) => [
  '--mount',
  '--propagation',
  'slave',
  'sh',
  '-c',
  enter,
  folder,
  shared,
  cwd,
  ...program,
];

/** @returns {string | undefined} why no chroot can be made here */
export function noChroot() {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return 'this is no Debian';
  if (process.getuid?.() !== 0)
    return 'only root may make and enter a chroot (sudo npm run test:full -- NAME)';
  return undefined;
}

/**
 * @typedef {object} Chroot
 * @property {string} folder
 * @property {(program: string, args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<number>} show runs a program, in the project folder, and shows its output
 * @property {(program: string, args: readonly string[], onLine?: (line: string) => void) => Promise<import('../setup/command.mjs').CommandResult>} run
 *
 * @typedef {object} ChrootOptions
 * @property {string} name of the folder
 * @property {string} suite Debian's release
 * @property {string} sections of the archive
 * @property {string} [arch] another processor's than this machine's, whose programs can be run here (emulation.mjs)
 * @property {readonly string[]} packages
 * @property {(failed: string, chroot: Chroot) => Promise<void>} [afterFailure] repairs a failed package installation; gets apt's output; throws if it cannot
 *
 * Made once; an interrupted creation is resumed.
 * @param {import('../setup/progress.mjs').Progress} progress
 * @param {ChrootOptions} options
 * @returns {Promise<Chroot>}
 */
export async function debianChroot(progress, { name, suite, sections, arch, packages, afterFailure }) {
  const folder = join(cacheFolder, 'chroots', name);
  const args = (program, rest) => inChroot(folder, [program, ...rest], { shared: root, cwd: root });
  const chroot = {
    folder,
    show: (program, rest, env = {}) => show('unshare', args('env', [...assignments(env), program, ...rest])),
    run: (program, rest, onLine) => runCommand('unshare', args(program, rest), { onLine }),
  };
  await packagesAtHand(progress, tools);
  if (!existsSync(folder)) await bootstrap(progress, folder, { suite, sections, arch });
  const stamp = join(folder, 'installed-by-ringlab');
  const expected = packages.join('\n');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === expected) return chroot;
  await progress.step(`packages of Debian ${suite} in ${name}`, async (step) => {
    const apt = (...rest) =>
      chroot.run('apt-get', ['-q', '-y', '--no-install-recommends', ...rest], (line) => {
        if (/^(?:Get:|Unpacking|Setting up)/.test(line)) step.now(line);
      });
    await apt('update');
    const { code, output } = await apt('install', ...packages);
    await apt('clean');
    if (code !== 0) {
      if (afterFailure === undefined) {
        throw new SetupFailure(
          `apt could not install ${packages.join(' ')} in ${folder}`,
          'start again: it goes on where it was',
          lastLines(output, 30),
        );
      }
      await afterFailure(output, chroot);
    }
    writeFileSync(stamp, expected);
  });
  return chroot;
}

async function bootstrap(progress, folder, { suite, sections, arch }) {
  await progress.step(`Debian ${suite} in ${folder}`, async (step) => {
    const half = `${folder}.new`;
    mkdirSync(dirname(folder), { recursive: true });
    await runCommand('rm', ['-rf', '--one-file-system', half]);
    const options = ['--variant=minbase', ...(arch === undefined ? [] : [`--arch=${arch}`])];
    const { code, output } = await runCommand('debootstrap', [...options, suite, half, mirror], {
      onLine: (line) => step.now(line.replace(/^I: /, '')),
    });
    if (code !== 0) {
      throw new SetupFailure(
        `debootstrap could not make Debian ${suite}`,
        'check the network, then start again',
        lastLines(output, 20),
      );
    }
    writeFileSync(join(half, 'etc/apt/sources.list'), `deb ${mirror} ${suite} ${sections}\n`);
    renameSync(half, folder);
  });
}

/** @param {NodeJS.ProcessEnv} env */
const assignments = (env) => Object.entries(env).map(([key, value]) => `${key}=${value}`);
