/**
 * Full test: a run on four nodes of a drawn network, with the real trainer, through seeded random faults. It restarts by itself
 * each time, and ends as an undisturbed run does: the same loss of every step, bit for bit.
 *
 * RINGLAB_STORM_SECONDS (600): about how long the undisturbed run trains; faults come until the run has finished.
 * RINGLAB_STORM_SEED: the seed that an earlier storm printed; the faults and their pauses are its, not the steps that they hit.
 */
import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { seeded } from '../../../shared/testing/fuzz.ts';
import { workLost } from '../../../shared/run/recovery.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';
import { below, mountDisks, signal, stormFaults } from '../testing/storm-faults.ts';
import { counting, expectAllStored, linesOf } from '../testing/stored-lines.ts';

const canRun = trainerIsBuilt && process.platform === 'linux' && process.getuid?.() === 0;
const why = canRun ? 'root' : 'skipped: needs the trainer, Linux and root';
const seconds = Number(process.env.RINGLAB_STORM_SECONDS ?? 600);
const seed = Number(process.env.RINGLAB_STORM_SEED ?? Math.floor(Math.random() * 2 ** 31));
const say = (text: string): void => void process.stdout.write(`storm ${seed}: ${text}\n`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const train = 192;
const batchSize = 32;
const nodes = 4;
const stepsAnEpoch = train / batchSize;

let bench: RealBench;
let unmount = (): void => undefined;
afterEach(async () => {
  await bench.app.close();
  for (const pid of await below(bench.dataFolder)) signal(pid, 'SIGKILL');
  unmount();
  await bench.close();
});

/** The loss and the images of every step, of work that was done again the last. */
async function curve(run: RunRecord, rank: number): Promise<{ losses: unknown[]; images: number }> {
  const lines = await linesOf(bench.app.store, run.id, `rank-${rank}`);
  const last = new Map(lines.filter(({ kind }) => kind === 'step').map((line) => [Number(line.step), line]));
  const ordered = [...last].toSorted(([a], [b]) => a - b);
  expect(ordered.map(([step]) => step)).toEqual(counting(run.epochs * stepsAnEpoch));
  return {
    losses: ordered.map(([, { loss }]) => loss),
    images: ordered.reduce((sum, [, { images }]) => sum + Number(images), 0),
  };
}

async function undisturbed(epochs: number): Promise<{ run: RunRecord; took: number }> {
  bench.lab.experiment = { ...bench.lab.experiment, epochs };
  const { runId } = await bench.app.runs.start(bench.lab);
  await bench.until(runId, (run) => run.step >= 1);
  const began = performance.now();
  const run = await bench.until(runId, 'finished', 60 + 20 * seconds);
  return { run, took: (performance.now() - began) / 1000 };
}

/** Running with a new checkpoint since its last failure, or ended: five failures in a row without one end a run, by its policy. */
async function untilItGetsOn(runId: string): Promise<RunRecord> {
  for (;;) {
    const run = await bench.app.runs.get(runId);
    if (isEnded(run.state)) return run;
    const last = run.recovery?.restarts.at(-1);
    const query = { runId, kinds: ['checkpoint'], source: 'rank-0', limit: 4 } as const;
    const saved = (await bench.app.store.lines(query)).map(({ line }) => Number(line.step));
    const isOn = last === undefined || (last.resumed !== undefined && Math.max(0, ...saved) > last.from);
    if (run.state === 'running' && isOn) return run;
    await pause(200);
  }
}

/** Faults until the run has finished. Returns what happened. */
async function throughTheStorm(runId: string): Promise<{ run: RunRecord; happened: string[] }> {
  const random = seeded(seed);
  const happened: string[] = [];
  const faults = stormFaults(bench);
  const names = Object.keys(faults);
  let resumes = 0;
  const deadline = performance.now() + 30_000 * seconds;
  for (;;) {
    const wait = (5 + 25 * random.fraction()) * Math.min(1, seconds / 300);
    const [name, rank, size] = [random.pick(names), random.below(nodes), random.fraction()];
    await pause(1000 * wait);
    const ready = await untilItGetsOn(runId);
    if (ready.state === 'finished') return { run: ready, happened };
    if (isEnded(ready.state)) {
      // What would happen again is not tried again by itself: the disk has room now, and the user resumes the run.
      const { code = '', params } = ready.error ?? {};
      say(
        `step ${ready.step}: ${ready.state}, ${ready.recovery?.ended ?? ''} ${code} ${JSON.stringify(params)}`,
      );
      resumes += 1;
      if (ready.recovery?.ended !== 'cause' || resumes > happened.length) return { run: ready, happened };
      await bench.app.runs.resume(runId);
      continue;
    }
    if (performance.now() > deadline) throw new Error(`storm ${seed}: the run does not get on`);
    say(`step ${ready.step}, attempt ${ready.attempt}: ${name}, rank ${rank}`);
    happened.push(name);
    await faults[name]?.(ready, rank, size);
  }
}

describe.skipIf(!canRun)(`a storm of faults (${why})`, () => {
  it('loses nothing', { timeout: 0 }, async () => {
    say(`${seconds} s; RINGLAB_STORM_SEED=${seed} repeats it`);
    bench = await createRealBench({ nodes, train, batchSize });
    const { lab } = bench;
    lab.links = [
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
    const probe = await undisturbed(2);
    const epochs = Math.max(3, Math.round((2 * seconds) / Math.max(0.1, probe.took)));
    const reference = await undisturbed(epochs);
    say(`${epochs} epochs, undisturbed in ${reference.took.toFixed(0)} s`);
    lab.experiment = {
      ...lab.experiment,
      ...({ onLostRank: 'restart', restartsPerHour: 1000, checkpointEvery: 1 } as const),
    };
    unmount = mountDisks(reference.run);
    const began = performance.now();
    const { runId } = await bench.app.runs.start(lab);
    const { run, happened } = await throughTheStorm(runId);
    const lost = workLost(run.recovery);
    say(
      `${happened.length} faults, ${run.recovery?.restarts.length ?? 0} restarts, ${((performance.now() - began) / 1000).toFixed(0)} s, work lost ${lost.steps} steps, ${lost.seconds.toFixed(1)} s`,
    );
    expect(run).toMatchObject({ state: 'finished', epochsCompleted: epochs, step: epochs * stepsAnEpoch });
    expect(happened.length).toBeGreaterThan(0);

    // Every line of every node once and in order, byte for byte.
    await expectAllStored(bench.app.store, run);
    for (const { rank, directory } of run.ranks) {
      const kept = await readFile(join(bench.app.store.runFolder(run.id), `rank-${rank}.jsonl`));
      expect(kept.equals(await readFile(join(directory, 'metrics.jsonl')))).toBe(true);
      const stormed = await curve(run, rank);
      expect(stormed.images).toBe((epochs * train) / nodes);
      expect(stormed.losses).toEqual((await curve(reference.run, rank)).losses);
    }
    expect(run.top1).toBe(reference.run.top1);
    expect(run.bestTop1).toBe(reference.run.bestTop1);
    // One that failed again before its first step did not go on; the last did.
    expect(run.recovery?.restarts.at(-1)?.resumed).toBeDefined();

    // Nothing is left over.
    await expect.poll(() => below(bench.dataFolder), { timeout: 20_000 }).toEqual([]);
    for (const { directory } of run.ranks)
      expect((await readdir(directory)).filter((name) => name.includes('.tmp'))).toEqual([]);
    const namespaces = run.ranks.map(({ enter }) => /netns\/(\S+)/.exec(enter ?? '')?.[1] ?? 'none');
    expect(new Set(namespaces).size).toBe(nodes);
    await bench.app.close();
    const left = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' });
    for (const namespace of namespaces) expect(left).not.toContain(namespace);
    await bench.restart();
  });
});
