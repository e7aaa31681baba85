/**
 * `runtime: conda`: an environment of exactly the locked packages, in a folder named after the experiment and the
 * lock. Another lock has another folder: the previous environment is kept until the new one is complete.
 */
import { join } from 'node:path';
import { environmentFolder } from '../../base/node-layout.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { channelsOf, type CondaRuntime } from '../../../shared/lab/runtime.ts';
import { shellQuote } from '../../ssh/index.ts';
import { needBytes, isDiskFullMessage } from '../../transfer/index.ts';
import type { Clock } from '../../base/clock.ts';
import { inWords, uploadWords, type PlannedChange } from '../node/planned-change.ts';
import { cudaInName, upstreamVersion } from '../node/hardware-facts.ts';
import { lastWords } from '../node/node-shell.ts';
import { known, type StepContext } from '../engine/step.ts';
import { compareVersions } from '../node/versions.ts';
import { createOnce } from '../../base/once.ts';
import { wantsGpu, type Libtorch } from '../node/libtorch.ts';
import {
  explicitList,
  glibcNeeded,
  lockHash,
  type Lock,
  type LockBook,
  type LockedPackage,
  type NodeMake,
} from './lock.ts';
import { condaPlatform, ensureMicromamba, mambaCall, planMicromamba } from './micromamba.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { planCondaPackages, sendCondaPackages } from './conda-part.ts';
import { runLasting } from '../node/lasting.ts';
import { measureMirrors, mirrorsFailed } from '../download/mirrors.ts';
import type { RuntimeSource } from './runtime.ts';
import { newestFor, planSolve, solveLock } from './solve.ts';
import { type CreateCommands, createCommands, mark } from './conda-commands.ts';
import { phrase } from '../../i18n/index.ts';
import type { Line } from '../../../shared/base/phrase.ts';

export interface CondaOptions {
  readonly locks: LockBook;
  /** Local folder with `<platform>/micromamba`. */
  readonly micromamba: string;
  readonly bundle: Pick<BundleStore, 'read' | 'path'>;
  readonly clock: Clock;
}

export interface CondaSource extends RuntimeSource {
  /** What `lock` changes on this node, for a dry run. Throws micromamba_missing. */
  planLock(context: StepContext): Promise<PlannedChange[]>;
  /** Solves again on this node and stores the result with the lab. */
  lock(context: StepContext): Promise<Lock>;
  /** The lab's stored lock, else a new one. */
  lockFor(context: StepContext): Promise<Lock>;
  /** Where this computer may have a micromamba to send. */
  keptMicromamba(platform: string): string;
  /** The key by which nodes share a lock. */
  make(context: StepContext): NodeMake;
}

const installMinutes = 120;
/** Ratio of unpacked size to archive size; the archives stay in the cache. */
const unpacked = 4.5;

const runtimeOf = ({ lab }: StepContext): CondaRuntime => {
  const { runtime } = lab.experiment;
  if (runtime?.type !== 'conda') throw new Error('asked for an environment where the runtime is another');
  return runtime;
};

const makeOf = ({ work, node, lab }: StepContext): NodeMake => {
  const facts = known(work, 'facts');
  const cuda = wantsGpu(node, facts, lab.experiment.backend) ? facts.cuda : undefined;
  return { platform: condaPlatform(facts), cuda };
};

const folderOf = (context: StepContext, lock: Lock, kind: '' | '-tools' = ''): string =>
  environmentFolder(
    known(context.work, 'facts').home,
    `${runtimeOf(context).environment}-${lockHash(lock)}${kind}`,
  );

function libtorchOf(lock: Lock, prefix: string): Libtorch {
  const found = lock.packages.find(({ name }) => name === 'libtorch');
  if (found === undefined)
    throw new RinglabError('runtime_unsolved', { channel: lock.channel, specs: 'libtorch' });
  const cuda = cudaInName(`-${found.build}`);
  return {
    version: upstreamVersion(found.version),
    prefix,
    abi: 'cxx11',
    ...(cuda === undefined ? {} : { cuda }),
  };
}

export function createCondaRuntime({ locks, micromamba, bundle, clock }: CondaOptions): CondaSource {
  // Nodes of one kind wait for the first of them to solve.
  const once = createOnce<Lock>(
    (error) => error instanceof RinglabError && error.code === 'runtime_unsolved',
  );

  const solve = async (context: StepContext): Promise<Lock> => {
    const make = makeOf(context);
    const runtime = runtimeOf(context);
    const program = await ensureMicromamba(context, runtime, micromamba, bundle);
    const log = (line: Line): void => context.status.log.add(line);
    const tried = channelsOf(runtime);
    const measured = await measureMirrors(
      context.shell,
      tried,
      (channel) => `${channel}/${make.platform}/repodata.json`,
      log,
    );
    const [fastest] = measured.mirrors;
    if (fastest === undefined) throw mirrorsFailed(context.node, tried, measured);
    const lock = await solveLock(context, program, fastest.address, make, clock.now() / 1000);
    await locks.put(context.lab.id, make, lock);
    log(phrase('stepLog.locked', { count: lock.packages.length, path: locks.path(context.lab.id) }));
    return lock;
  };

  const lockFor = async (context: StepContext): Promise<Lock> => {
    const make = makeOf(context);
    const kept = await locks.get(context.lab.id, make);
    if (kept !== undefined) return kept;
    return once(`${context.lab.id} ${make.platform} ${make.cuda ?? ''}`, () => solve(context));
  };

  /** Creates the environment at `prefix`, from the fastest mirror that has all of it. */
  const create = async (
    context: StepContext,
    lock: Lock,
    packages: readonly LockedPackage[],
    prefix: string,
  ): Promise<void> => {
    const { shell, status, work } = context;
    const facts = known(work, 'facts');
    const runtime = runtimeOf(context);
    const needed = glibcNeeded(packages);
    if (needed !== undefined && facts.glibc !== undefined && compareVersions(needed, facts.glibc) > 0) {
      const newest = newestFor(lock, facts.glibc);
      throw new RinglabError('runtime_glibc_old', { needed, found: facts.glibc, newest });
    }
    const bytes = packages.reduce((sum, { size = 0 }) => sum + size, 0);
    await needBytes(shell, prefix, bytes * unpacked, context.signal);
    const program = await ensureMicromamba(context, runtime, micromamba, bundle);
    const largest = [...packages].sort((a, b) => (b.size ?? 0) - (a.size ?? 0))[0];
    const log = (line: Line): void => status.log.add(line);
    const own = await sendCondaPackages(context, bundle, packages);
    const measured = await measureMirrors(
      shell,
      own === undefined ? channelsOf(runtime) : [own],
      (channel) => `${channel}/${largest?.file ?? ''}`,
      log,
    );
    let last = '';
    for (const { address: channel } of measured.mirrors) {
      status.log.add(phrase('stepLog.packagesFrom', { count: packages.length, bytes, channel }));
      const failed = await createFrom(
        context,
        createCommands(program, facts, lock, prefix),
        packages,
        prefix,
        channel,
      );
      if (failed === undefined) return;
      last = failed;
      if (isDiskFullMessage(failed)) {
        const free = known(work, 'facts').diskFreeBytes;
        throw new RinglabError(
          'node_disk_full',
          { path: prefix, needed: bytes * unpacked, free },
          { detail: last },
        );
      }
      status.log.add(phrase('stepLog.nextMirror', { address: channel }));
    }
    throw mirrorsFailed(context.node, channelsOf(runtime), measured, last);
  };

  /** micromamba's output where it failed; keeps archives. */
  const createFrom = async (
    { shell, work }: StepContext,
    { list, settings, create: command, clear }: CreateCommands,
    packages: readonly LockedPackage[],
    prefix: string,
    channel: string,
  ): Promise<string | undefined> => {
    await shell.upload({ bytes: Buffer.from(explicitList(packages, channel)) }, list, { quiet: true });
    await shell.upload({ bytes: Buffer.from(`channels:\n  - ${channel}\n`) }, settings, { quiet: true });
    // The folder identifies the content, whichever mirror running work has chosen.
    const lasting = { name: 'micromamba', key: prefix, stop: 'at once' } as const;
    const result = await runLasting({ shell, facts: known(work, 'facts') }, command, lasting, {
      label: command,
      timeoutMs: installMinutes * 60_000,
      online: true,
    });
    await shell.exec(clear, { quiet: true });
    return result.code === 0 ? undefined : lastWords(result);
  };

  const isWhole = async (context: StepContext, lock: Lock, prefix: string): Promise<boolean> => {
    const { stdout } = await context.shell.exec(`cat ${shellQuote(`${prefix}/${mark}`)} 2>/dev/null`, {
      label: phrase('nodeCommands.lookAt', { path: prefix }),
      quiet: true,
    });
    return stdout.trim() === lockHash(lock);
  };

  return {
    bringsImages: true,
    async find(context) {
      const lock = await locks.get(context.lab.id, makeOf(context));
      if (lock === undefined) return undefined;
      const prefix = folderOf(context, lock);
      return (await isWhole(context, lock, prefix)) ? libtorchOf(lock, prefix) : undefined;
    },
    async plan(context) {
      const lock = await locks.get(context.lab.id, makeOf(context));
      const runtime = runtimeOf(context);
      const { environment } = runtime;
      const what = phrase('changes.conda.environment', { environment });
      const { program, changes } = await planMicromamba(context, runtime, micromamba, bundle);
      if (lock === undefined) return [...changes, inWords(phrase('changes.conda.unsolved', { what }))];
      const packages = lock.packages.filter(({ tools }) => !tools);
      const bytes = packages.reduce((sum, { size = 0 }) => sum + size, 0);
      const size = `${(bytes / 1e6).toFixed(1)} MB`;
      const commands = createCommands(program, known(context.work, 'facts'), lock, folderOf(context, lock));
      const [list, settings] = [
        phrase('changes.conda.list'),
        phrase('changes.conda.settings', { channels: channelsOf(runtime) }),
      ];
      return [
        ...changes,
        ...(await planCondaPackages(context, bundle, packages)),
        { what: list, command: uploadWords('packages.txt', commands.list) },
        { what: settings, command: uploadWords('mambarc', commands.settings) },
        {
          what: phrase('changes.conda.create', { what, count: packages.length, size }),
          command: commands.create,
        },
        { what: phrase('changes.conda.clear'), command: commands.clear },
      ];
    },
    async expected(context) {
      const lock = await locks.get(context.lab.id, makeOf(context));
      return lock === undefined ? undefined : libtorchOf(lock, folderOf(context, lock));
    },
    async install(context) {
      const lock = await lockFor(context);
      const packages = lock.packages.filter(({ tools }) => !tools);
      const prefix = folderOf(context, lock);
      if (context.redo) await context.shell.exec(`rm -f ${shellQuote(`${prefix}/${mark}`)}`);
      await create(context, lock, packages, prefix);
    },
    async planLock(context) {
      const runtime = runtimeOf(context);
      const { program, changes } = await planMicromamba(context, runtime, micromamba, bundle);
      const facts = known(context.work, 'facts');
      return [...changes, ...planSolve(program, facts, channelsOf(runtime), makeOf(context))];
    },
    lock: solve,
    lockFor,
    keptMicromamba: (platform) => join(micromamba, platform, 'micromamba'),
    make: makeOf,
    async buildTools(context) {
      const lock = await lockFor(context);
      const prefix = folderOf(context, lock, '-tools');
      if (!(await isWhole(context, lock, prefix))) await create(context, lock, lock.packages, prefix);
      const program = await ensureMicromamba(context, runtimeOf(context), micromamba, bundle);
      return `${mambaCall(program, known(context.work, 'facts'))} run -p ${shellQuote(prefix)} `;
    },
  };
}
