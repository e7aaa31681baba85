/** Installs a distribution's packages on a node, as root or with `sudo -n`, never interactively. */
import { RinglabError, type ErrorCode } from '../../../shared/base/errors.ts';
import { freeBytes, isDiskFullMessage } from '../../transfer/index.ts';
import { partFor, preparePackages, sendPackages, type PreparedPackages } from './apt-part.ts';
import { swapped, type RootCopy } from './node-repository.ts';
import type { PlannedChange, RunnableChange } from '../node/planned-change.ts';
import { aptTimeouts, awaitLists, beginChange, endChange, completeInterrupted } from './apt-call.ts';
import { refuseHiddenMirrors } from '../node/hidden-mirrors.ts';
import { runLasting, systemChange } from '../node/lasting.ts';
import { hasApt } from './has-apt.ts';
import { codeOf, lastWords } from '../node/node-shell.ts';
import { known, type StepContext } from '../engine/step.ts';
import { phrase } from '../../i18n/index.ts';

/** Alternative names of a package; the first that the distribution has is used. */
export type PackageNames = readonly string[];

/** Packages needed to run a trainer that was built elsewhere. `libtorch*` stands for the newest run-time package. */
export const imagePackages: readonly PackageNames[] = [
  ['libjpeg62-turbo', 'libjpeg-turbo8', 'libjpeg-dev'],
  ['zlib1g'],
  // Loaded only when an image needs them: the trainer runs without.
  ['libtiff6', 'libtiff5', 'libtiff-dev'],
  ['libwebpdemux2', 'libwebp-dev'],
];
export const runtimePackages: readonly PackageNames[] = [['libtorch*', 'libtorch-dev'], ...imagePackages];

/** Packages that own scripts need. */
export const systemPythonPackages: readonly PackageNames[] = [['python3']];
export const pythonPackages: readonly PackageNames[] = [...systemPythonPackages, ['python3-torch']];

const compilers: readonly PackageNames[] = [['g++'], ['cmake'], ['ninja-build']];
const imageHeaders: readonly PackageNames[] = [
  ['libjpeg-dev'],
  ['zlib1g-dev'],
  ['libtiff-dev'],
  ['libwebp-dev'],
];
/** Packages needed to build it. */
export const buildPackages: readonly PackageNames[] = [...compilers, ['libtorch-dev'], ...imageHeaders];
/** The same where libtorch and its headers already exist. */
export const toolPackages: readonly PackageNames[] = [...compilers, ...imageHeaders];

const installMinutes = 30;

/** The command that a user types on the node as root. The development packages have the same names everywhere. */
export const installLine = (packages: readonly PackageNames[]): string =>
  `apt-get update && apt-get install -y ${packages.map((names) => names.at(-1) ?? '').join(' ')}`;

/** The same command is planned, confirmed and run. */
const installing = (packages: readonly PackageNames[], from?: RootCopy): RunnableChange => ({
  what: phrase('changes.packages'),
  command: installScript(packages, from),
  byHand: installLine(packages),
});

interface Installation {
  readonly install: RunnableChange;
  /** The bundle's packages, where it has any for this node. */
  readonly prepared?: PreparedPackages | undefined;
}

/** Throws node_unsupported without apt, or `missing` where root is not available. */
async function installationOf(
  context: StepContext,
  packages: readonly PackageNames[],
  missing: ErrorCode,
): Promise<Installation> {
  const facts = known(context.work, 'facts');
  if (!hasApt(facts)) throw new RinglabError('node_unsupported', { system: facts.system.pretty });
  if (!facts.root && facts.sudo === 'none')
    throw new RinglabError(missing, { command: installLine(packages) });
  const { bundle } = context;
  const part = bundle === undefined ? undefined : partFor((await bundle.read()).apt, facts);
  if (bundle === undefined || part === undefined) return { install: installing(packages) };
  const prepared = await preparePackages(facts, bundle, part, pickScript(packages));
  return { install: installing(packages, prepared.root), prepared };
}

/**
 * What `installPackages` would do.
 * @throws what it would throw before it changes anything
 */
export async function planPackages(
  context: StepContext,
  packages: readonly PackageNames[],
  missing: ErrorCode,
): Promise<PlannedChange[]> {
  const { install, prepared } = await installationOf(context, packages, missing);
  return [...(prepared?.changes ?? []), install];
}

/**
 * @param missing the error code where root is not available: its text has the command to type
 * @throws node_unsupported without apt, consent_refused, sudo_refused, hash_mismatch where a package on the node is
 * not what was sent
 */
export async function installPackages(
  context: StepContext,
  packages: readonly PackageNames[],
  missing: ErrorCode,
): Promise<void> {
  const { install, prepared } = await installationOf(context, packages, missing);
  const facts = known(context.work, 'facts');
  const command = installLine(packages);
  await context.rights.allow('packages', [install], context.signal);
  if (prepared !== undefined) {
    const sent = await sendPackages(context, prepared);
    const folder = context.bundle?.folder ?? '';
    context.status.log.add(phrase('stepLog.fromBundle', { folder, bytes: sent }));
  } else await refuseHiddenMirrors(context.shell, command);
  const { shell, rights } = context;
  const result = await runLasting({ shell, facts, rights }, install.command, systemChange, {
    label: prepared === undefined ? 'apt-get install' : phrase('nodeCommands.aptBundle'),
    online: prepared === undefined,
    timeoutMs: installMinutes * 60_000,
  });
  if (result.code === 0) return;
  const output = `${result.stdout.slice(-4000)}\n${lastWords(result)}`.trim();
  if (prepared !== undefined && result.code === swapped)
    throw new RinglabError('hash_mismatch', { path: prepared.folder }, { detail: output });
  if (isDiskFullMessage(output) || /have enough free space/i.test(output)) {
    const free = await freeBytes(shell, '/').catch(() => facts.diskFreeBytes);
    throw new RinglabError(
      'node_disk_full',
      { path: '/', needed: spaceSaid(output), free },
      { detail: output },
    );
  }
  const reason = offlineWords(output);
  if (reason !== undefined && context.node.lendInternet !== true)
    throw new RinglabError(
      'node_offline',
      { reason, command, diagnosis: 'network.offline' },
      { detail: output },
    );
  throw new RinglabError('command_failed', { command, code: codeOf(result) }, { detail: output });
}

/** Messages of apt and curl without internet: no name server, no route, no answer. */
export const offlineWords = (output: string): string | undefined =>
  /(?:Temporary failure resolving|Could not resolve|Network is unreachable|No route to host|Could not connect to|connection timed out)[^\n]*/i.exec(
    output,
  )?.[0];

/** `You don't have enough free space in /var/cache/apt/archives/.` follows `Need to get 123 MB` */
function spaceSaid(output: string): number {
  const match = /([\d.,]+) ([kMG])B of additional disk space/.exec(output);
  const unit = { k: 1e3, M: 1e6, G: 1e9 }[match?.[2] ?? 'M'] ?? 1e6;
  const needed = match?.[1] === undefined ? 600e6 : Number(match[1].replaceAll(',', '')) * unit;
  return Math.round(needed);
}

/**
 * Updates the lists first: a fresh cloud image has none, and old ones contain packages that no longer exist. Where
 * the update fails, the installation is tried with the existing lists.
 */
const installScript = (
  packages: readonly PackageNames[],
  { take, options }: RootCopy = { take: '', options: '' },
): string => `${take === '' ? '' : `${take}\n`}apt() { env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 ${aptTimeouts} ${options} "$@"; }
cache() { env LC_ALL=C apt-cache ${options} "$@"; }
${completeInterrupted}
${awaitLists}
apt -q update || echo 'the package lists could not be fetched; going on with those that are there' >&2
${pickScript(packages)}
[ -n "$packages" ] || exit 100
echo "apt-get install -y --no-install-recommends $packages"
${beginChange}
apt -q install -y --no-install-recommends $packages
code=$?
[ $code = 0 ] && ${endChange}
exit $code`;

/** Sets `packages`: each by its first name that apt has; a function `cache` calls apt. */
export const pickScript = (packages: readonly PackageNames[]): string => `pick() {
  for name; do
    if [ "$name" = 'libtorch*' ]; then
      name=$(cache pkgnames libtorch | grep -E '^libtorch[0-9]+\\.[0-9]+(t64)?$' | sort -V | tail -n 1)
    fi
    [ -n "$name" ] && cache show "$name" >/dev/null 2>&1 && { printf '%s ' "$name"; return; }
  done
  echo "none of these packages is known here: $*" >&2
}
packages="${packages.map((names) => `$(pick ${names.map((name) => `'${name}'`).join(' ')})`).join('')}"`;
