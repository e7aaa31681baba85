import { availableParallelism } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { computeKey } from '../../../shared/cost/compute-time.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { Point } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { chain, drawing } from '../../../shared/lab/topology.fixture.ts';
import { computeOnce, knownCompute } from './known-compute.ts';
import { planRun, withMode } from './plan.ts';

const localCpus = 2;
const computed = (seconds: number) => ({ localCpus, compute: { seconds, runId: 'r', runName: 'Run' } });
const withSync = (lab: LabDocument, sync: string): LabDocument => ({
  ...lab,
  experiment: { ...lab.experiment, sync },
});

describe('a run’s decisions at its start', () => {
  it('resolve auto to a mode, and keep the reason', () => {
    const slow = planRun(withSync(chain(3), 'auto'), computed(0.15));
    expect(slow.lab.experiment.sync).not.toBe('auto');
    expect(slow.lab.experiment.sync).not.toBe('allreduce');
    expect(slow.estimate).toMatchObject({
      asked: 'auto',
      sync: slow.lab.experiment.sync,
      reason: 'faster',
      computeMeasured: true,
    });
    expect(slow.estimate!.plainSecondsPerStep).toBeGreaterThan(50 * slow.estimate!.secondsPerStep);
    const fast = planRun(withSync(chain(3, 100_000), 'auto'), computed(1));
    expect(fast.lab.experiment.sync).toBe('allreduce');
    expect(fast.estimate).toMatchObject({ reason: 'plain_is_enough' });
    expect(fast.estimate).not.toHaveProperty('bottleneck');
  });

  it('exchange after every step over links of any bandwidth, also where the epoch’s steps are not known', () => {
    const data = { type: 'folder', path: '/data', size: 32 } as const;
    for (const [mbps, seconds] of [
      [1, 0.3],
      [0.1, 0.01],
    ] as const) {
      const drawn = withSync(chain(3, mbps), 'auto');
      for (const experiment of [drawn.experiment, { ...drawn.experiment, data }])
        expect(planRun({ ...drawn, experiment }, computed(seconds)).lab.experiment.sync).toMatch(
          /^local:1,stream=.*,overlap=1,adapt=/,
        );
    }
  });

  it('stay exact if the links are only drawn, as they do not slow the run', () => {
    const { lab, estimate } = planRun(withSync(chain(3), 'auto'), computed(0.15), false);
    expect(lab.experiment.sync).toBe('allreduce');
    expect(estimate?.secondsPerStep).toBeLessThan(0.3);
  });

  it('keep the lab’s own mode, and report its estimated cost', () => {
    const { lab, estimate } = planRun(withSync(chain(3), 'powersgd:2'), computed(0.15));
    expect(lab.experiment.sync).toBe('powersgd:2');
    expect(estimate).toMatchObject({ asked: 'powersgd:2', sync: 'powersgd:2' });
    expect(estimate).not.toHaveProperty('reason');
  });

  it('take the mode that was chosen for the first run of a sweep, where it suits', () => {
    const auto = withSync(chain(3), 'auto');
    expect(withMode(auto, 'diloco:8').experiment.sync).toBe('diloco:8');
    expect(withMode(auto, undefined)).toBe(auto);
    const given = withSync(chain(3), 'fp16');
    expect(withMode(given, 'diloco:8')).toBe(given);
    // One process exchanges nothing, and an epoch of two steps has no eight between two averages.
    const alone = { ...auto, experiment: { ...auto.experiment, parallel: 'none' as const } };
    expect(withMode(alone, 'diloco:8')).toBe(alone);
    const data = { type: 'shapes', train: 60, validation: 20, size: 32, seed: 1 } as const;
    const short = { ...auto, experiment: { ...auto.experiment, data, batchSize: 30 } };
    expect(withMode(short, 'diloco:8')).toBe(short);
  });

  it('order the ranks along the ring, keep rank 0, and do not change the drawing', () => {
    // Two switches with two nodes each; drawn from side to side.
    const drawn = drawing(
      6,
      [
        [5, 6],
        [1, 5],
        [2, 6],
        [3, 5],
        [4, 6],
      ],
      ['cpu', 'cpu', 'cpu', 'cpu', 'switch', 'switch'],
    );
    const { lab, nodeOrder } = planRun(drawn, computed(0.15));
    expect(nodeOrder).toEqual(['n1', 'n2', 'n4', 'n3']);
    expect(lab).toEqual(drawn);
  });

  it('use the exact all-reduce if nothing can be estimated', () => {
    const apart = planRun(withSync(drawing(3, [[1, 2]]), 'auto'), computed(0.15));
    expect(apart.lab.experiment.sync).toBe('allreduce');
    expect(apart).toMatchObject({ estimate: undefined, nodeOrder: undefined });
  });
});

describe('the measured compute time', () => {
  const record = (id: string, lab: LabDocument, createdAt: number, step = 100): RunRecord => ({
    version: 1,
    id,
    name: `Run ${id}`,
    labId: lab.id,
    lab,
    state: 'finished',
    attempt: 1,
    createdAt,
    epochsCompleted: 1,
    epochs: 1,
    step,
    ranks: [],
    unreachable: {},
    badLines: 0,
    notes: '',
  });
  const steps = (rank: number, seconds: number, waited: number): Point[] =>
    Array.from({ length: 9 }, (_, step) => ({
      source: `rank-${rank}`,
      line: {
        v: 1,
        seq: step,
        t: step,
        kind: 'step',
        step,
        // The first ones are slow: caches are cold.
        step_seconds: step < 2 ? 99 : seconds + waited + (step % 2) / 1000,
        communication_seconds: waited,
      },
    }));
  const store = (runs: RunRecord[], lines: Record<string, Point[]>): Parameters<typeof knownCompute>[0] => ({
    listRuns: () => Promise.resolve(runs),
    lines: ({ runId }) => Promise.resolve(lines[runId] ?? []),
  });

  it('is the slowest rank’s step without waiting, of the newest similar run', async () => {
    const lab = chain(3);
    const other = { ...lab, experiment: { ...lab.experiment, architecture: 'resnet50' } };
    const found = await knownCompute(
      store(
        [record('old', lab, 1), record('new', lab, 2), record('other', other, 3), record('short', lab, 4, 1)],
        {
          old: steps(0, 5, 1),
          new: [...steps(0, 0.25, 50), ...steps(1, 0.5, 49)],
          other: steps(0, 9, 1),
        },
      ),
      withSync(lab, 'powersgd:2'),
    );
    expect(found.compute?.seconds).toBeCloseTo(0.5, 2);
    expect(found.compute).toMatchObject({ runId: 'new', runName: 'Run new' });
  });

  it('is undefined without a similar run: another batch, size or number of nodes', async () => {
    const lab = chain(3);
    const known = store([record('run', lab, 1)], { run: steps(0, 1, 1) });
    expect((await knownCompute(known, lab)).compute).toBeDefined();
    for (const change of [{ batchSize: 192 }, { architecture: 'alexnet' }])
      expect(await knownCompute(known, { ...lab, experiment: { ...lab.experiment, ...change } })).toEqual({
        localCpus: availableParallelism(),
      });
    expect(computeKey(chain(4))).not.toBe(computeKey(lab));
    expect(computeKey(drawing(3, []))).toBe(computeKey(lab));
  });

  it('is not taken from runs whose ranks share their batch norms: their steps count the waiting as computing', async () => {
    const lab = chain(2);
    const shared = { ...lab, experiment: { ...lab.experiment, syncBatchNorm: true } };
    const both = store([record('far', shared, 2), record('near', lab, 1)], {
      far: steps(0, 7, 0),
      near: steps(0, 0.2, 1),
    });
    expect((await knownCompute(both, shared)).compute).toMatchObject({ runId: 'near' });
    expect(
      (await knownCompute(store([record('far', shared, 2)], { far: steps(0, 7, 0) }), shared)).compute,
    ).toBe(undefined);
    // One rank waits for nobody.
    const alone = { ...drawing(1, []), experiment: shared.experiment };
    const own = store([record('one', alone, 1)], { one: steps(0, 0.3, 0) });
    expect((await knownCompute(own, alone)).compute).toMatchObject({ runId: 'one' });
  });

  it('is looked up once for the runs of a sweep that compute for the same time', async () => {
    const lab = chain(3);
    const { listRuns, lines } = store([record('run', lab, 1)], { run: steps(0, 1, 1) });
    const asked = vi.fn(lines);
    const computeOf = computeOnce({ listRuns, lines: asked });
    for (const learningRate of [0.1, 0.2, 0.3])
      expect(await computeOf({ ...lab, experiment: { ...lab.experiment, learningRate } })).toMatchObject({
        compute: { runId: 'run' },
      });
    expect(asked).toHaveBeenCalledTimes(1);
    const larger = { ...lab, experiment: { ...lab.experiment, batchSize: 192 } };
    expect((await computeOf(larger)).compute).toBeUndefined();
  });

  it('is not taken from a single step', async () => {
    const lab = chain(3);
    const known = store([record('run', lab, 1)], { run: steps(0, 1, 1).slice(0, 3) });
    expect((await knownCompute(known, lab)).compute).toBeUndefined();
  });
});
