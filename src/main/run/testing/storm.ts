/**
 * For the storm tests: what they share. Random faults hit a run of the real trainer on four nodes of a drawn network until it has
 * finished; an undisturbed run before it shows how it would have ended.
 *
 * RINGLAB_STORM_SECONDS (600): about how long the undisturbed run trains.
 * RINGLAB_STORM_SEED: the seed that an earlier storm printed; the faults and their pauses are its, not the steps that they hit.
 * RINGLAB_STORM_FAULTS: only these faults, by name, separated by commas.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Script } from '../../../shared/lab/script.ts';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { seeded } from '../../../shared/testing/fuzz.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from './real-services.ts';
import { mountDisks, type StormDisks } from './storm-disks.ts';
import { changesSums, notOfScripts, stormFaults, type Happened } from './storm-faults.ts';
import { below, signal } from './storm-processes.ts';
import { linesOf } from './stored-lines.ts';
import { usedMemory } from './used-memory.ts';

export const canStorm = trainerIsBuilt && process.platform === 'linux' && process.getuid?.() === 0;
export const whyStorm = canStorm ? 'root' : 'skipped: needs the trainer, Linux and root';
const seconds = Number(process.env.RINGLAB_STORM_SECONDS ?? 600);
const seed = Number(process.env.RINGLAB_STORM_SEED ?? Math.floor(Math.random() * 2 ** 31));
const say = (text: string): void => void process.stdout.write(`storm ${seed}: ${text}\n`);
/** Why a run is not restarted by itself that a user may resume. */
const over = new Set<string | undefined>(['cause', 'repeated']);
const only = process.env.RINGLAB_STORM_FAULTS?.split(',');
const nodes = 4;
/** Milliseconds. A node may be prepared again, and a busy machine is slow. */
const longestWait = 900_000;

export interface Storm {
  readonly bench: RealBench;
  /** Trains for `epochs`, or for about RINGLAB_STORM_SECONDS, without faults. */
  undisturbed(): Promise<RunRecord>;
  /**
   * Starts the lab and lets faults come until the run has finished. `ready` waits until the next fault may come, or the run has ended.
   * A run that a full disk has ended is resumed, as a user would.
   */
  hit(ready: (runId: string) => Promise<RunRecord>): Promise<{ run: RunRecord; happened: Happened[] }>;
  say(text: string): void;
  /** Expects that no process, temporary file or network of the run is left. */
  expectNothingLeft(run: RunRecord): Promise<void>;
  close(): Promise<void>;
}

export async function createStorm(options: {
  train: number;
  batchSize: number;
  validation?: number;
  /** Without faults after which the same step gives other sums. */
  exact?: boolean;
  /** In place of the trainer, with Debian's Python; the number of epochs is its last argument. */
  script?: Script;
}): Promise<Storm> {
  say(`${seconds} s; RINGLAB_STORM_SEED=${seed} repeats it`);
  const bench = await createRealBench({ nodes, clocks: true, ...options });
  let disks: StormDisks | undefined;
  let memoryBefore = 0;
  bench.lab.links = [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
  ].map(([from = '', to = '']) => ({
    id: `${from}${to}`,
    ends: [from, to],
    bandwidthMbps: 200,
    delayMs: 0,
    lossPercent: 0,
  }));
  const { script, exact = false } = options;
  const trained = async (epochs: number): Promise<{ run: RunRecord; took: number }> => {
    bench.lab.experiment = { ...bench.lab.experiment, epochs };
    if (script !== undefined) {
      const own = { ...script, arguments: `${script.arguments} ${epochs}` };
      bench.lab.experiment = { ...bench.lab.experiment, runtime: { type: 'system' }, script: own };
    }
    const { runId } = await bench.app.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    const began = performance.now();
    const run = await bench.until(runId, 'finished', 60 + 20 * seconds);
    return { run, took: (performance.now() - began) / 1000 };
  };
  /** Throws with the run's state where it has not got on for long. */
  const stuck = async (runId: string, signal: AbortSignal): Promise<never> => {
    await setTimeout(longestWait, undefined, { signal });
    const { state, step, error, memberships, ranks } = await bench.app.runs.get(runId);
    const states = ranks.map((rank) => rank.state);
    throw new Error(
      `storm ${seed}: does not get on: ${JSON.stringify({ state, step, error, memberships, states })}`,
    );
  };
  const throughFaults = async (
    runId: string,
    ready: (runId: string) => Promise<RunRecord>,
    onDisks: StormDisks,
  ): Promise<{ run: RunRecord; happened: Happened[] }> => {
    const random = seeded(seed);
    const happened: Happened[] = [];
    const faults = stormFaults(bench, onDisks, happened);
    const names = Object.keys(faults).filter(
      (name) =>
        only?.includes(name) ??
        (!(exact && changesSums.has(name)) && !(script !== undefined && notOfScripts.has(name))),
    );
    let resumes = 0;
    const deadline = performance.now() + 30_000 * seconds;
    for (;;) {
      const wait = (5 + 25 * random.fraction()) * Math.min(1, seconds / 300);
      const [name, rank, size] = [random.pick(names), random.below(nodes), random.fraction()];
      await setTimeout(1000 * wait);
      const enough = new AbortController();
      const run = await Promise.race([ready(runId), stuck(runId, enough.signal)]);
      enough.abort();
      if (run.state === 'finished') return { run, happened };
      if (isEnded(run.state)) {
        // What would happen again is not tried again by itself: the disk is well again, and the user resumes the run.
        const { code = '', params, detail = '' } = run.error ?? {};
        say(
          `step ${run.step}: ${run.state}, ${run.recovery?.ended ?? ''} ${code} ${JSON.stringify(params)} ${detail}`,
        );
        resumes += 1;
        if (!over.has(run.recovery?.ended) || resumes > happened.length) return { run, happened };
        await bench.app.runs.resume(runId);
        continue;
      }
      if (performance.now() > deadline) throw new Error(`storm ${seed}: the run does not get on`);
      say(`step ${run.step}, attempt ${run.attempt}: ${name}, rank ${rank}`);
      happened.push({ name, rank });
      await faults[name]?.(run, rank, size);
    }
  };
  return {
    bench,
    say,
    async undisturbed() {
      const probe = await trained(2);
      const epochs = Math.max(3, Math.round((2 * seconds) / Math.max(0.1, probe.took)));
      const { run, took } = await trained(epochs);
      say(`${epochs} epochs, undisturbed in ${took.toFixed(0)} s`);
      memoryBefore = usedMemory();
      const images = join(bench.dataFolder, 'disks');
      await mkdir(images);
      disks = mountDisks(run, join(bench.dataFolder, 'nodes'), images);
      return run;
    },
    async hit(ready) {
      if (disks === undefined) throw new Error('the disks are those of an undisturbed run');
      const began = performance.now();
      const { runId } = await bench.app.runs.start(bench.lab);
      const result = await throughFaults(runId, ready, disks);
      say(`${result.happened.length} faults in ${((performance.now() - began) / 1000).toFixed(0)} s`);
      // What is under way at the run's end, its files that are fetched, is over soon.
      const memory = (): number => usedMemory() / memoryBefore;
      await expect.poll(memory, { timeout: 30_000 }).toBeLessThan(1.2);
      say(`memory ${memory().toFixed(2)} times that after an undisturbed run`);
      return result;
    },
    async expectNothingLeft(run) {
      await expect.poll(() => below(bench.dataFolder), { timeout: 20_000 }).toEqual([]);
      for (const { directory } of run.ranks)
        expect((await readdir(directory)).filter((name) => name.includes('.tmp'))).toEqual([]);
      const namespaces = run.ranks.map(({ enter }) => /netns\/(\S+)/.exec(enter ?? '')?.[1] ?? 'none');
      expect(new Set(namespaces).size).toBe(nodes);
      await bench.app.close();
      const left = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' });
      for (const namespace of namespaces) expect(left).not.toContain(namespace);
      await bench.restart();
    },
    async close() {
      await bench.app.close();
      for (const pid of await below(bench.dataFolder)) signal(pid, 'SIGKILL');
      disks?.unmount();
      await bench.close();
    },
  };
}

/** A rank's steps in order, of work that was done again the last. @param isStep whether a line is of a step */
export async function stepLines(
  bench: RealBench,
  runId: string,
  rank: number,
  isStep = (line: MetricLine): boolean => line.kind === 'step',
): Promise<MetricLine[]> {
  const lines = await linesOf(bench.app.store, runId, `rank-${rank}`);
  const last = new Map(lines.filter(isStep).map((line) => [Number(line.step), line]));
  return [...last].toSorted(([a], [b]) => a - b).map(([, line]) => line);
}
