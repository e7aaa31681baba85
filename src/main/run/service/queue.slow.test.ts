import { stat } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { binSeconds } from './bin.ts';
import { createBench, type Bench, type BenchOptions } from '../testing/bench.ts';

let bench: Bench;
const open = async (options?: BenchOptions): Promise<Bench> =>
  (bench = await createBench({ nodes: 1, steps: 3, epochs: 1, secondsAStep: 0.02, ...options }));
afterEach(async () => {
  await bench.close();
});

const optionOf = (argv: readonly string[], name: string): string | undefined => argv[argv.indexOf(name) + 1];

describe('a sweep', () => {
  it('runs one after the other, in order, each with its own setting', async () => {
    await open();
    const { runIds } = await bench.runs.queue(bench.lab, [
      { learningRate: 0.1 },
      { learningRate: 0.05 },
      { learningRate: 0.01, batchSize: 16 },
    ]);
    expect(runIds).toHaveLength(3);
    const runs: RunRecord[] = [];
    for (const runId of runIds) runs.push(await bench.until(runId, 'finished'));
    expect(runs.map((run) => optionOf(run.ranks[0]?.argv ?? [], '--lr'))).toEqual(['0.1', '0.05', '0.01']);
    expect(runs.map((run) => run.name)).toEqual([
      'Three nodes · lr 0.1',
      'Three nodes · lr 0.05',
      'Three nodes · lr 0.01, batch 16',
    ]);
    expect(new Set(runs.map((run) => run.origin?.sweep))).toEqual(new Set([runIds[0]]));
    runs.slice(1).forEach((run, i) => {
      expect(run.startedAt).toBeGreaterThanOrEqual(runs[i]?.endedAt ?? Number.NaN);
    });
  });

  it('names a run that is queued without a change by what distinguishes it, as one that is started', async () => {
    await open();
    await bench.until((await bench.runs.queue(bench.lab, [{}])).runIds[0] ?? '', 'finished');
    const faster = { ...bench.lab, experiment: { ...bench.lab.experiment, learningRate: 0.5 } };
    const { runIds } = await bench.runs.queue(faster, [{}]);
    expect((await bench.until(runIds[0] ?? '', 'finished')).name).toBe('Three nodes · lr 0.5');
  });

  it('keeps the synchronisation that automatic chose for its first run', async () => {
    await open({ nodes: 3 });
    const { lab } = bench;
    const links = [0, 1].map((index): LabDocument['links'][number] => ({
      id: `l${index}`,
      ends: [lab.nodes[index]?.id ?? '', lab.nodes[index + 1]?.id ?? ''],
      bandwidthMbps: 1000,
      delayMs: 0,
      lossPercent: 0,
    }));
    const auto = { ...lab, links, experiment: { ...lab.experiment, sync: 'auto' } };
    const modesOf = async (batches: readonly number[]): Promise<string[]> => {
      const { runIds } = await bench.runs.queue(
        auto,
        batches.map((batchSize) => ({ batchSize })),
      );
      const runs: RunRecord[] = [];
      for (const runId of runIds) runs.push(await bench.until(runId, 'finished'));
      return runs.map((run) => run.lab.experiment.sync);
    };
    // Alone, the second computes long enough for exact gradients.
    const [alone] = await modesOf([5000]);
    const [first, second] = await modesOf([32, 5000]);
    expect(first).not.toBe(alone);
    expect(second).toBe(first);
  });

  it('continues after the app was killed and restarted', async () => {
    await open({ steps: 12, secondsAStep: 0.05 });
    const { runIds } = await bench.runs.queue(bench.lab, [{ seed: 1 }, { seed: 2 }]);
    const [first = '', second = ''] = runIds;
    await bench.until(first, (run) => run.step > 1);
    await bench.hold();
    const runs = await bench.restart();
    expect((await runs.get(second)).state).toBe('queued');
    await runs.adopt();
    await bench.goOn();
    await bench.until(first, 'finished');
    await bench.until(second, 'finished');
  });

  it('holds where the app was killed while a run of it was prepared, also when another run has finished', async () => {
    let prepares = true;
    await open({
      prepare: (signal) =>
        prepares
          ? new Promise((_resolve, reject) => {
              signal?.addEventListener('abort', () => reject(signal.reason as Error));
            })
          : Promise.resolve(),
    });
    const { runIds } = await bench.runs.queue(bench.lab, [{ seed: 1 }, { seed: 2 }, { seed: 3 }]);
    const [first = '', second = '', third = ''] = runIds;
    const cut = await bench.until(first, 'preparing');
    const runs = await bench.restart();
    // An app that is closed puts it back in the queue, a killed one does not.
    await bench.store.saveRun(cut);
    await runs.adopt();
    await bench.until(first, 'interrupted');
    prepares = false;
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'finished');
    await bench.runs.leftPods();
    for (const id of [second, third])
      expect(await bench.runs.get(id)).toMatchObject({ state: 'queued', heldBy: first });
    await bench.runs.resume(first);
    for (const id of [first, second, third]) await bench.until(id, 'finished');
  });

  it('holds after a user stopped a run, and continues after their next start', async () => {
    await open({ steps: 400, secondsAStep: 0.05 });
    const { runIds } = await bench.runs.queue(bench.lab, [{ seed: 1 }, { seed: 2 }, { seed: 3 }]);
    const [first = '', second = '', third = ''] = runIds;
    await bench.until(first, (run) => run.step > 1);
    await bench.runs.stop(first);
    await bench.until(first, 'stopped');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await bench.runs.get(second)).state).toBe('queued');
    await bench.runs.stop(third);
    expect((await bench.runs.get(third)).state).toBe('stopped');
    await bench.runs.resume(second);
    await bench.until(second, (run) => run.step > 1);
  });

  it('holds what waited when a user stopped a run, also for the next app, but not what is queued then', async () => {
    await open({ steps: 400, secondsAStep: 0.05 });
    const { runIds } = await bench.runs.queue(bench.lab, [{ seed: 1 }, { seed: 2 }]);
    const [first = '', second = ''] = runIds;
    await bench.until(first, (run) => run.step > 1);
    await bench.runs.stop(first);
    await bench.until(first, 'stopped');
    await bench.restart();
    const [later = ''] = (await bench.runs.queue(bench.lab, [{ seed: 3 }])).runIds;
    await bench.until(later, (run) => run.step > 1);
    expect((await bench.runs.get(second)).state).toBe('queued');
    await bench.runs.stop(later);
    await bench.until(later, 'stopped');
    await bench.runs.resume(second);
    await bench.until(second, (run) => run.step > 1);
  });

  it('starts only once for two simultaneous requests', async () => {
    await open({ steps: 400, secondsAStep: 0.05 });
    const both = await Promise.allSettled([bench.runs.start(bench.lab), bench.runs.start(bench.lab)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('refuses an invalid value, and records nothing', async () => {
    await open();
    await expect(bench.runs.queue(bench.lab, [{ architecture: 'resnet1800' }])).rejects.toMatchObject({
      code: 'lab_has_errors',
    });
    expect(await bench.runs.list()).toEqual([]);
  });
});

describe('a repeated run', () => {
  it('has the lab of the run that it repeats, and names that run', async () => {
    await open();
    const { runId } = await bench.runs.start(bench.lab);
    const first = await bench.until(runId, 'finished');
    const { runIds } = await bench.runs.queue(first.lab, [{ momentum: 0.5 }], first);
    const again = await bench.until(runIds[0] ?? '', 'finished');
    expect(again.origin).toEqual({ repeats: runId });
    expect(again.lab.experiment).toEqual({ ...first.lab.experiment, momentum: 0.5 });
  });
});

describe('the trash of runs', () => {
  it('keeps a deleted run for a week, with all its files', async () => {
    await open();
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'finished');
    await bench.runs.bin(runId, { nodes: true });
    expect(await bench.runs.list()).toEqual([]);
    expect((await bench.runs.list(undefined, true)).map((run) => run.id)).toEqual([runId]);
    await bench.runs.restore(runId);
    const [run] = await bench.runs.list();
    expect(run).toMatchObject({ id: runId, state: 'finished', step: 3 });
    expect(run).not.toHaveProperty('binned');
    await expect(stat(bench.rankFolder(runId, 0))).resolves.toBeDefined();
  });

  it('removes it afterwards, on the nodes too if requested', async () => {
    await open();
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'finished');
    await bench.store.saveRun({
      ...run,
      binned: { t: Date.now() / 1000 - binSeconds - 10, nodes: true },
    });
    const runs = await bench.restart();
    await runs.adopt();
    expect(await runs.list(undefined, true)).toEqual([]);
    await expect(stat(bench.rankFolder(runId, 0))).rejects.toThrow(/ENOENT/);
  });

  it('refuses an active run', async () => {
    await open({ steps: 400, secondsAStep: 0.05 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step > 1);
    await expect(bench.runs.bin(runId, { nodes: false })).rejects.toMatchObject({ code: 'run_wrong_state' });
  });
});

describe('a user’s marks of a run', () => {
  it('are stored: tags without duplicates, star, archive; and removed again', async () => {
    await open();
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'finished');
    await bench.runs.annotate(runId, { tags: ['base', 'base', '慢'], starred: true, archived: true });
    expect(await bench.runs.get(runId)).toMatchObject({ tags: ['base', '慢'], starred: true });
    expect((await bench.runs.get(runId)).archivedAt).toBeGreaterThan(0);
    const now = await bench.runs.annotate(runId, { archived: false });
    expect(now.archivedAt).toBeUndefined();
    expect(now.tags).toEqual(['base', '慢']);
    await bench.runs.annotate(runId, { colour: 'violet' });
    expect((await bench.runs.annotate(runId, { notes: 'n' })).colour).toBe('violet');
    expect((await bench.runs.annotate(runId, { colour: null })).colour).toBeUndefined();
  });
});
