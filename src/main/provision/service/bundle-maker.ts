/**
 * Makes a bundle for a node (`ringlab bundle`): asks what a node of its kind needs, and downloads that to this
 * computer.
 */
import { lineOf, plain, type Phrase } from '../../../shared/base/phrase.ts';
import { access } from 'node:fs/promises';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runtimeOf } from '../../../shared/lab/lab.ts';
import { channelsOf } from '../../../shared/lab/runtime.ts';
import type { Clock } from '../../base/clock.ts';
import { buildPackages, hasApt, pickScript, runtimePackages } from '../download/packages.ts';
import type { Libtorch } from '../node/libtorch.ts';
import { systemRuntime, type CondaSource, type Lock } from '../runtime/index.ts';
import type { TrainerSources } from '../trainer/sources.ts';
import { known, type Step, type StepContext } from '../engine/step.ts';
import type { TrainerShelf } from '../trainer/trainer-shelf.ts';
import { ownOrigin, runnerOf } from '../node/trainer-origin.ts';
import { fingerprintOf, makeFor } from '../trainer/trainer-version.ts';
import { aptClosure, partFor, systemOf } from '../download/apt-part.ts';
import { proveClosure } from '../bundle/proof.ts';
import type { BundleIndex } from '../bundle/index-file.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { emptyIndex, joined } from '../bundle/index-file.ts';
import { phrase } from '../../i18n/index.ts';

export interface BundleStepOptions {
  readonly store: BundleStore;
  readonly conda: CondaSource;
  readonly shelf: Pick<TrainerShelf, 'find'>;
  readonly sources: () => Promise<Pick<TrainerSources, 'hash'>>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createBundleStep({ store, conda, shelf, sources, clock }: BundleStepOptions): Step {
  /** Summary of what was added for each kind of node. */
  const made = new Map<string, Phrase>();
  const add = (part: Partial<BundleIndex>): Promise<void> =>
    store.change((index) => joined(index, { ...emptyIndex, ...part }));

  const addApt = async (context: StepContext, trainerFits: boolean): Promise<number> => {
    const facts = known(context.work, 'facts');
    // Compilers only where nodes of this kind would have to build the trainer.
    const packages = [...runtimePackages, ...(trainerFits ? [] : buildPackages)];
    const closure = await aptClosure(context, pickScript(packages));
    const before = partFor((await store.read()).apt, facts);
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
    context.status.log.add(`${found.length} packages, ${total} bytes; ${fetched} fetched now`);
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
    context.status.log.add(`${lock.packages.length} conda packages for ${lock.platform}`);
    return lock.packages.reduce((sum, { size = 0 }) => sum + size, 0);
  };

  const addTrainer = async (context: StepContext, libtorch: Libtorch | undefined): Promise<boolean> => {
    if (libtorch === undefined) return false;
    const { hash } = await sources();
    const fingerprint = fingerprintOf(makeFor(known(context.work, 'facts'), libtorch, hash));
    const trainer = await shelf.find(fingerprint, runnerOf(context.lab, context.node, context.machine));
    if (trainer === undefined) return false;
    const origin = trainer.origin ?? ownOrigin(clock.now());
    await add({ trainers: [{ fingerprint, sha256: await store.keep(trainer.path), origin }] });
    return true;
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
    } else context.status.log.add(`no micromamba for ${platform}: nodes need one of their own`);
  };

  /** Nodes of one kind need the same. */
  const kindOf = (context: StepContext): string => {
    const facts = known(context.work, 'facts');
    const runtime = context.lab.experiment.runtime?.type ?? 'system';
    const cuda = runtime === 'conda' ? conda.make(context).cuda : undefined;
    const level = cuda === undefined ? '' : ` · CUDA ${cuda}`;
    return `${systemOf(facts)} · ${facts.arch} · ${runtime}${level}`;
  };

  return {
    id: 'bundle',
    place: 'libraries',
    check(context) {
      const kind = kindOf(context);
      return Promise.resolve(made.has(kind) ? plain(kind) : undefined);
    },
    async apply(context) {
      const facts = known(context.work, 'facts');
      const runtime = runtimeOf(context.lab);
      if (runtime.type === 'wheels')
        throw new RinglabError('bad_request', {
          path: 'experiment.runtime',
          problem: phrase('reasons.noWheelsInBundle'),
        });
      const lock = runtime.type === 'conda' ? await conda.lockFor(context) : undefined;
      const source = runtime.type === 'conda' ? conda : systemRuntime;
      const libtorch = await source.expected?.(context);
      const fits = await addTrainer(context, libtorch);
      let bytes = 0;
      if (lock !== undefined && runtime.type === 'conda') {
        bytes = await addConda(context, lock, [lock.channel, ...channelsOf(runtime)]);
        await addMicromamba(context);
      } else if (hasApt(facts)) bytes = await addApt(context, fits);
      const trainer = fits ? phrase('summaries.trainer') : '';
      const kind = kindOf(context);
      made.set(kind, lineOf([kind, `${(bytes / 1e6).toFixed(1)} MB`, trainer]));
    },
    verify(context) {
      const line = made.get(kindOf(context));
      if (line === undefined) throw new Error('what was added is not noted');
      return Promise.resolve(line);
    },
  };
}
