/** Full test: the real trainer on local nodes loses ranks, and the run restarts from a checkpoint within an epoch. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../shared/run/run.ts';
import { endProcess } from '../../ssh/testing/processes.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';
import { counting, expectAllStored, linesOf, stepsOf } from '../testing/stored-lines.ts';

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
    expect([...new Set(stepsOf(lines))].toSorted((a, b) => a - b)).toEqual(counting(run.step));
    const images = [...last.values()].reduce((sum, line) => sum + Number(line.images), 0);
    expect(images).toBe((run.epochs * train) / run.ranks.length);
    // Work that is done again gives the same, bit for bit.
    for (const line of steps) expect(line.loss).toBe(last.get(line.step)?.loss);
    const [series] = await bench.app.store.series({
      runId: run.id,
      series: [{ source: `rank-${rank}`, kind: 'step', field: 'loss' }],
      x: 'step',
      maxPoints: 10_000,
    });
    expect(series?.x).toEqual(counting(run.step));
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
const ownFolder = (run: RunRecord, rank: number): string => run.ranks[rank]?.directory ?? '/nowhere';

describe.skipIf(!trainerIsBuilt)('a run that loses ranks', { timeout: 400_000 }, () => {
  it('finishes with everything: a rank killed within an epoch, then one frozen', async () => {
    await open(4);
    const { runId } = await bench.app.runs.start(bench.lab);
    const within = await bench.until(runId, (run) => run.step > 1 && run.step % stepsAnEpoch !== 0);
    endProcess(await bench.process(runId, 1));
    const going = await bench.until(
      runId,
      (run) => run.recovery?.restarts[0]?.resumed !== undefined && run.step > within.step,
    );
    const [restart] = going.recovery?.restarts ?? [];
    expect(restart?.error).toMatchObject({ code: 'rank_killed', params: { rank: 1 } });
    // A silent rank is a lost one; when it moves again, it finds that the others have gone.
    const frozen = await bench.process(runId, 2);
    process.kill(frozen, 'SIGSTOP');
    await bench.until(runId, (run) => run.attempt === 3);
    const run = await bench.until(runId, 'finished');
    expect(() => process.kill(frozen, 0)).toThrow('ESRCH');
    expect(run).toMatchObject({ attempt: 3, epochsCompleted: 4, step: 4 * stepsAnEpoch });
    for (const { resumed, step } of run.recovery?.restarts ?? []) {
      expect(resumed).toBeDefined();
      expect(resumed?.lostSteps).toBe(step - (resumed?.step ?? 0));
    }
    await expectOneCurve(run);
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
