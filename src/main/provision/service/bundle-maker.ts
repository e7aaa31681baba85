/**
 * Makes a bundle for a node (`ringlab bundle`): asks what a node of its kind needs, and downloads that to this
 * computer.
 */
import { lineOf, plain, type Phrase } from '../../../shared/base/phrase.ts';
import { access } from 'node:fs/promises';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runtimeOf } from '../../../shared/lab/lab.ts';
import { hasApt } from '../download/has-apt.ts';
import { channelsOf } from '../../../shared/lab/runtime.ts';
import type { Clock } from '../../base/clock.ts';
import {
  buildPackages,
  imagePackages,
  pickScript,
  pythonPackages,
  runtimePackages,
  systemPythonPackages,
  toolPackages,
  type PackageNames,
} from '../download/packages.ts';
import { wantsGpu, type Libtorch } from '../node/libtorch.ts';
import { systemRuntime, type CondaSource, type Lock, type WheelsSource } from '../runtime/index.ts';
import type { TrainerSources } from '../trainer/sources.ts';
import { known, type Step, type StepContext } from '../engine/step.ts';
import type { TrainerShelf } from '../trainer/trainer-shelf.ts';
import { ownOrigin, runnerOf, type TrainerOrigin } from '../node/trainer-origin.ts';
import { fingerprintOf, makeFor } from '../trainer/trainer-version.ts';
import { aptClosure, partFor, systemOf } from '../download/apt-part.ts';
import { proveClosure } from '../bundle/proof.ts';
import type { BundleIndex } from '../bundle/index-file.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { emptyIndex, joined } from '../bundle/index-file.ts';
import { phrase } from '../../i18n/index.ts';
import { codeUsesEngine } from '../script/index.ts';
import { reasonOf } from '../../base/reason.ts';
import { addWheels } from './bundle-wheels.ts';

export interface BundleStepOptions {
  readonly store: BundleStore;
  readonly conda: CondaSource;
  readonly wheels: WheelsSource;
  readonly shelf: Pick<TrainerShelf, 'find' | 'plain'>;
  readonly sources: () => Promise<Pick<TrainerSources, 'hash'>>;
  readonly clock: Pick<Clock, 'now'>;
  /** Conda's packages and wheels are for this CUDA version, whatever the node that is asked has: `12.4`. */
  readonly cuda?: string | undefined;
}

/** The node as if it had a GPU whose driver runs this CUDA. */
function withCuda(context: StepContext, cuda: string | undefined): StepContext {
  if (cuda === undefined) return context;
  const facts = known(context.work, 'facts');
  const none = { nouveau: false, secureBoot: false, headers: false, sources: [], dkms: [], packages: [] };
  return {
    ...context,
    node: { ...context.node, kind: 'gpu' },
    work: { ...context.work, facts: { ...facts, cuda, nvidia: { ...none, ...facts.nvidia, works: true } } },
  };
}

export function createBundleStep(options: BundleStepOptions): Step {
  const { store, conda, wheels, shelf, sources, clock, cuda } = options;
  /** Summary of what was added for each kind of node. */
  const made = new Map<string, Phrase>();
  const add = (part: Partial<BundleIndex>): Promise<void> =>
    store.change((index) => joined(index, { ...emptyIndex, ...part }));

  /** Compilers only where nodes of this kind would have to build the trainer, or the engine of `ringlab.slow`. */
  const aptPackages = async (context: StepContext, trainerFits: boolean): Promise<PackageNames[]> => {
    const { script } = context.lab.experiment;
    const { arch } = known(context.work, 'facts');
    const builds = !trainerFits && (script === undefined || (await shelf.plain(arch)) === undefined);
    if (runtimeOf(context.lab).type === 'wheels') {
      const compiles = builds || (script !== undefined && (await codeUsesEngine(context)));
      return [...(script === undefined || builds ? imagePackages : []), ...(compiles ? toolPackages : [])];
    }
    return [
      ...(script === undefined || builds ? runtimePackages : []),
      ...(script === undefined ? [] : pythonPackages),
      ...(builds ? buildPackages : []),
    ];
  };

  const addApt = async (context: StepContext, wanted: readonly PackageNames[]): Promise<number> => {
    const facts = known(context.work, 'facts');
    const before = partFor((await store.read()).apt, facts);
    // What another experiment needed stays.
    const packages = [...wanted, ...(before?.packages ?? []).map(({ name }) => [name])];
    const closure = await aptClosure(context, pickScript(packages));
    const { lists, packages: found } = await proveClosure(closure, facts.system, facts.arch, before, {
      store,
      signal: context.signal,
      now: new Date(clock.now()),
      log: (line) => context.status.log.add(line),
    });
    const total = found.reduce((sum, { size }) => sum + size, 0);
    let [done, fetched] = [0, 0];
    for (const { url, sha256, size } of found) {
      fetched += (await store.fetch({ url, sha256, size }, context.signal)).fetched;
      done += size;
      context.status.progress(done, total, 'bytes');
    }
    const kept = found.map(({ name, version, sha256, size }) => ({ name, version, sha256, size }));
    await add({ apt: [{ system: systemOf(facts), arch: facts.arch, lists: [...lists], packages: kept }] });
    context.status.log.add(phrase('stepLog.aptPackages', { count: found.length, bytes: total, fetched }));
    return total;
  };

  const addConda = async (context: StepContext, lock: Lock, channels: readonly string[]): Promise<number> => {
    const entries: Record<string, string> = {};
    for (const { file, sha256, size } of lock.packages) {
      let last: unknown;
      for (const channel of channels) {
        try {
          entries[file] = (
            await store.fetch({ url: `${channel}/${file}`, sha256, size }, context.signal)
          ).sha256;
          break;
        } catch (error) {
          context.signal.throwIfAborted();
          last = error;
        }
      }
      if (entries[file] === undefined)
        throw last instanceof Error
          ? last
          : new RinglabError('mirrors_failed', { mirrors: channels.join(', ') });
    }
    await add({ conda: entries });
    context.status.log.add(
      phrase('stepLog.condaPackages', { count: lock.packages.length, platform: lock.platform }),
    );
    return lock.packages.reduce((sum, { size = 0 }) => sum + size, 0);
  };

  /** The origin of the trainer that the node may run; undefined where there is none. */
  const addTrainer = async (
    context: StepContext,
    libtorch: Libtorch | undefined,
  ): Promise<TrainerOrigin | undefined> => {
    if (libtorch === undefined) return undefined;
    const { hash } = await sources();
    const fingerprint = fingerprintOf(makeFor(known(context.work, 'facts'), libtorch, hash));
    const trainer = await shelf.find(fingerprint, runnerOf(context.lab, context.node, context.machine));
    if (trainer === undefined) return undefined;
    const origin = trainer.origin ?? ownOrigin(clock.now());
    await add({ trainers: [{ fingerprint, sha256: await store.keep(trainer.path), origin }] });
    return origin;
  };

  const addMicromamba = async (context: StepContext): Promise<void> => {
    const { runtime } = context.lab.experiment;
    const { platform } = conda.make(context);
    const kept = conda.keptMicromamba(platform);
    const here = await access(kept).then(
      () => true,
      () => false,
    );
    if (here) await add({ micromamba: { [platform]: await store.keep(kept) } });
    else if (runtime?.type === 'conda' && runtime.micromamba !== undefined) {
      const { sha256 } = await store.fetch(runtime.micromamba, context.signal);
      await add({ micromamba: { [platform]: sha256 } });
    } else context.status.log.add(phrase('stepLog.noMicromamba', { platform }));
  };

  /** Nodes of one kind need the same. */
  const kindOf = (asked: StepContext): string => {
    const context = withCuda(asked, cuda);
    const facts = known(context.work, 'facts');
    const { type } = runtimeOf(context.lab);
    const own = type === 'conda' ? conda.make(context).cuda : facts.cuda;
    const computes = type !== 'system' && wantsGpu(context.node, facts, context.lab.experiment.backend);
    const level = computes && own !== undefined ? ` · CUDA ${own}` : '';
    return `${systemOf(facts)} · ${facts.arch} · ${type}${level}`;
  };

  /** What the runtime itself needs: bytes, and the Python that its wheels are for, with whether it came. */
  const addRuntime = async (
    context: StepContext,
  ): Promise<{ bytes: number; python?: string; hasPython?: boolean }> => {
    const runtime = runtimeOf(context.lab);
    if (runtime.type === 'wheels') return addWheels(context, store, wheels);
    if (runtime.type !== 'conda') return { bytes: 0 };
    const lock = await conda.lockFor(context);
    const bytes = await addConda(context, lock, [lock.channel, ...channelsOf(runtime)]);
    await addMicromamba(context);
    return { bytes };
  };

  /**
   * The distribution's packages that are needed, and its Python where `lacksPython`: without that alone a bundle is of use, too, as most
   * nodes have one.
   */
  const addPackages = async (
    context: StepContext,
    needed: readonly PackageNames[],
    lacksPython: boolean,
  ): Promise<{ bytes: number; hasPython: boolean }> => {
    const wanted = [...needed, ...(lacksPython ? systemPythonPackages : [])];
    if (wanted.length === 0) return { bytes: 0, hasPython: false };
    try {
      return { bytes: await addApt(context, wanted), hasPython: lacksPython };
    } catch (error) {
      if (needed.length > 0) throw error;
      context.signal.throwIfAborted();
      context.status.log.add(phrase('stepLog.noSystemPython', { problem: reasonOf(error) }));
      return { bytes: 0, hasPython: false };
    }
  };

  const libtorchOf = (context: StepContext): Promise<Libtorch | undefined> => {
    const { type } = runtimeOf(context.lab);
    if (type === 'wheels') return wheels.find(context);
    const source = type === 'conda' ? conda : systemRuntime;
    return source.expected?.(context) ?? Promise.resolve(undefined);
  };

  return {
    id: 'bundle',
    place: 'libraries',
    check(context) {
      const kind = kindOf(context);
      return Promise.resolve(made.has(kind) ? plain(kind) : undefined);
    },
    async apply(asked) {
      const context = withCuda(asked, cuda);
      const { bytes, python, hasPython } = await addRuntime(context);
      const origin = await addTrainer(context, await libtorchOf(context));
      // What a node has built runs there alone: others of its kind build their own.
      const fits = origin !== undefined && origin.by !== 'node';
      const usesApt = runtimeOf(context.lab).type !== 'conda' && hasApt(known(context.work, 'facts'));
      const needed = usesApt ? await aptPackages(context, fits) : [];
      const packages = await addPackages(asked, needed, usesApt && hasPython === false);
      const total = bytes + packages.bytes;
      const has = hasPython ? 'withPython' : packages.hasPython ? 'withSystemPython' : 'withoutPython';
      const said = python === undefined ? '' : phrase(`summaries.${has}`, { python });
      const trainer = origin === undefined ? '' : phrase('summaries.trainer');
      const kind = kindOf(asked);
      made.set(kind, lineOf([kind, `${(total / 1e6).toFixed(1)} MB`, said, trainer]));
    },
    verify(context) {
      const line = made.get(kindOf(context));
      if (line === undefined) throw new Error('what was added is not noted');
      return Promise.resolve(line);
    },
  };
}
