/** Full test: the real trainer on local nodes loses ranks, and the run restarts from a checkpoint within an epoch. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { attemptsOf } from '../../../shared/run/recovery.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { endProcess } from '../../ssh/testing/processes.ts';
import { childOf, createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';
import { expectAllStored, expectEachStep, linesOf, stepsOf } from '../testing/stored-lines.ts';

let bench: RealBench;
afterEach(async () => {
  await bench.close();
});

const train = 84;
const stepsAnEpoch = 4;
async function open(epochs: number): Promise<void> {
  bench = await createRealBench({ epochs, train });
  // As often as the disk allows.
  bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'restart', checkpointEvery: 0.001 };
}
/** Every step once, along the curve: of work that was done again, the last counts. */
async function expectOneCurve(run: RunRecord): Promise<void> {
  await expectAllStored(bench.app.store, run);
  for (const { rank } of run.ranks) {
    const lines = await linesOf(bench.app.store, run.id, `rank-${rank}`);
    const steps = lines.filter((line) => line.kind === 'step');
    const last = new Map(steps.map((line) => [line.step, line]));
    const numbers = [...new Set(stepsOf(lines))];
    const missing = expectEachStep(numbers, run.step, run.recovery?.restarts.length ?? 0);
    const images = [...last.values()].reduce((sum, line) => sum + Number(line.images), 0);
    if (missing === 0) expect(images).toBe((run.epochs * train) / run.ranks.length);
    // Work that is done again gives the same, bit for bit.
    for (const line of steps) expect(line.loss).toBe(last.get(line.step)?.loss);
    const [series] = await bench.app.store.series({
      runId: run.id,
      series: [{ source: `rank-${rank}`, kind: 'step', field: 'loss' }],
      x: 'step',
      maxPoints: 10_000,
    });
    expect(series?.x).toEqual(numbers.toSorted((a, b) => a - b));
  }
}
/** Processes below a folder: a node's ranks, their launchers and its monitor. */
async function processesBelow(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => '');
    if (`${cwd}/`.startsWith(`${folder}/`)) found.push(Number(name));
  }
  return found;
}
/** Waits for it: between two attempts there is none. */
async function trainerOf(runId: string, rank: number): Promise<number> {
  await expect.poll(() => bench.trainer(runId, rank), { timeout: 60_000 }).toBeDefined();
  return (await bench.trainer(runId, rank)) ?? 0;
}
const ownFolder = (run: RunRecord, rank: number): string => run.ranks[rank]?.directory ?? '/nowhere';

describe.skipIf(!trainerIsBuilt)('a run that loses ranks', { timeout: 400_000 }, () => {
  it('finishes with everything: a rank killed within an epoch, then one frozen', async () => {
    await open(4);
    const { runId } = await bench.app.runs.start(bench.lab);
    const within = await bench.until(runId, (run) => run.step > 1 && run.step % stepsAnEpoch !== 0);
    endProcess(await trainerOf(runId, 1));
    const going = await bench.until(
      runId,
      (run) => run.recovery?.restarts[0]?.resumed !== undefined && run.step > within.step,
    );
    const [restart] = going.recovery?.restarts ?? [];
    expect(restart).toMatchObject({ by: 'node', error: { code: 'rank_killed', params: { rank: 1 } } });
    // A silent rank is a lost one: its supervisor ends it.
    const frozen = await trainerOf(runId, 2);
    process.kill(frozen, 'SIGSTOP');
    await bench.until(runId, (run) => run.recovery?.restarts[1]?.resumed !== undefined);
    const run = await bench.until(runId, 'finished');
    expect(() => process.kill(frozen, 0)).toThrow('ESRCH');
    // The app has started the ranks once.
    expect(run).toMatchObject({ attempt: 1, epochsCompleted: 4, step: 4 * stepsAnEpoch });
    expect(attemptsOf(run)).toBe(3);
    // The ranks that were left have saved, and no step is done again.
    for (const { resumed, from } of run.recovery?.restarts ?? [])
      expect(resumed).toMatchObject({ lostSteps: 0, lostSeconds: 0, step: from });
    await expectOneCurve(run);
  });

  it('goes on while no app is there: opened again, it finds the run with all its attempts', async () => {
    await open(12);
    const { runId } = await bench.app.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 2);
    const { ranks } = await bench.app.runs.get(runId);
    const [first, second] = [await trainerOf(runId, 1), await bench.process(runId, 0)];
    await bench.app.close();
    const starts = async (): Promise<number> => {
      const lines = await readFile(`${ranks[0]?.directory ?? ''}/metrics.jsonl`, 'utf8');
      return lines.split('\n').filter((line) => line.includes('"kind":"start"')).length;
    };
    endProcess(first);
    await expect.poll(starts, { timeout: 60_000 }).toBe(2);
    endProcess((await childOf(second)) ?? 0);
    await expect.poll(starts, { timeout: 60_000 }).toBe(3);
    await bench.restart();
    const found = await bench.until(runId, (run) => run.recovery?.restarts[1]?.resumed !== undefined);
    for (const [index, restart] of (found.recovery?.restarts ?? []).entries()) {
      expect(restart).toMatchObject({
        by: 'node',
        error: { code: 'rank_killed', params: { rank: 1 - index } },
      });
      expect(restart.resumed).toMatchObject({ lostSteps: 0, lostSeconds: 0 });
    }
    expect(found.recovery?.restarts).toHaveLength(2);
    const run = await bench.until(runId, 'finished');
    expect(run).toMatchObject({ attempt: 1, epochsCompleted: 12 });
    await expectOneCurve(run);
    expect(await processesBelow(ownFolder(run, 0).replace(/\/rank-0$/, ''))).toEqual([]);
  });

  it('stops between two attempts, with every supervisor', async () => {
    await open(100);
    const { runId } = await bench.app.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 2);
    // Its supervisor is stopped: the others wait for it.
    const frozen = await bench.process(runId, 1);
    const trainer = await trainerOf(runId, 1);
    process.kill(frozen, 'SIGSTOP');
    endProcess(trainer);
    const waits = (run: RunRecord): boolean => run.recovery?.waiting?.for === 'nodes';
    const waiting = await bench.until(runId, waits);
    expect(waiting).toMatchObject({ state: 'running', recovery: { waiting: { names: ['Node b'] } } });
    process.kill(frozen, 'SIGCONT');
    await bench.until(runId, (run) => run.recovery?.restarts[0]?.resumed !== undefined && !waits(run));
    process.kill(frozen, 'SIGSTOP');
    endProcess(await trainerOf(runId, 1));
    await bench.until(runId, waits);
    await bench.app.runs.stop(runId);
    process.kill(frozen, 'SIGCONT');
    const run = await bench.until(runId, 'stopped');
    expect(run.attempt).toBe(1);
    expect(await processesBelow(ownFolder(run, 0).replace(/\/rank-0$/, ''))).toEqual([]);
  });

  it('finishes with everything: every process of rank 0’s node, and the app, which is opened again', async () => {
    await open(4);
    const { runId } = await bench.app.runs.start(bench.lab);
    const started = await bench.until(runId, (run) => run.step >= 2);
    const runs = ownFolder(started, 0).replace(/\/rank-0$/, '');
    const all = await processesBelow(runs);
    expect(all.length).toBeGreaterThan(2);
    for (const pid of all) endProcess(pid);
    await bench.until(runId, (run) => run.state === 'recovering' || run.attempt === 2);
    await bench.restart();
    const run = await bench.until(runId, 'finished');
    expect(run).toMatchObject({ epochsCompleted: 4, step: 4 * stepsAnEpoch });
    await expectOneCurve(run);
    await expect.poll(() => processesBelow(runs)).toEqual([]);
  });

  it('stops at a failure that would last, without a restart', async () => {
    await open(2);
    bench.lab.experiment = { ...bench.lab.experiment, learningRate: 1000, epochs: 50 };
    const { runId } = await bench.app.runs.start(bench.lab);
    await expect(bench.until(runId, 'finished')).rejects.toThrow('the run is failed');
    const run = await bench.app.runs.get(runId);
    expect(run).toMatchObject({ attempt: 1, error: { code: 'diverged' }, recovery: { ended: 'cause' } });
  });

  it('gets an interval of checkpoints where the experiment does not say', async () => {
    await open(1);
    bench.lab.experiment = { ...bench.lab.experiment, checkpointEvery: undefined };
    const { runId } = await bench.app.runs.start(bench.lab);
    const { ranks } = await bench.until(runId, 'finished');
    for (const { argv } of ranks) expect(argv[argv.indexOf('--checkpoint-every') + 1]).toBe('170');
    const log = await readFile(`${ranks[0]?.directory ?? ''}/metrics.jsonl`, 'utf8');
    expect(log).toContain('"checkpoint-every":170');
  });
});
