import { expect, it } from 'vitest';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { chosenInterval, checkpointInterval, saveCost } from './checkpoint-interval.ts';

const line = (fields: Record<string, unknown>): MetricLine => ({
  v: 1,
  seq: 0,
  t: 0,
  kind: 'checkpoint',
  ...fields,
});
const calm = { nodes: 3, failures: 0, trained: 0 };

it('the interval is Young’s and Daly’s optimum of the measured stall', () => {
  // √(2 · 0.5 · 86,400 / 3)
  expect(checkpointInterval(saveCost([]), calm)).toBe(170);
  expect(checkpointInterval({ stall: 2, writing: 2 }, calm)).toBe(339);
  expect(checkpointInterval({ stall: 0.5, writing: 2 }, { ...calm, nodes: 12 })).toBe(85);
});

it('is shorter where the run fails more often than assumed', () => {
  expect(checkpointInterval({ stall: 0.5, writing: 1 }, { nodes: 3, failures: 4, trained: 3600 })).toBe(30);
});

it('counts failures by the time of training, without that between a stop and the next start', async () => {
  const failure = {
    attempt: 1,
    t: 1,
    error: { code: 'internal', params: {} },
    step: 3,
    from: 0,
    seq: 9,
  } as const;
  const recovery = { restarts: [failure, failure, failure, failure] };
  const week = 7 * 86_400;
  const run = runRecord('r', { startedAt: 1000, recovery });
  const chosen = (change: Partial<typeof run>, now: number): Promise<number> =>
    chosenInterval({ lines: () => Promise.resolve([]) }, { ...run, ...change }, 3, now);
  const trained = await chosen({}, 4600);
  expect(trained).toBe(30);
  expect(await chosen({ pause: { seconds: week } }, 4600 + week)).toBe(trained);
  expect(await chosen({ state: 'preparing', pause: { seconds: 0, since: 4600 } }, 4600 + week)).toBe(trained);
});

it('has a minimum, which grows with the time that a save takes, and a maximum', () => {
  expect(checkpointInterval({ stall: 0.001, writing: 0.2 }, { nodes: 3, failures: 9, trained: 90 })).toBe(10);
  expect(checkpointInterval({ stall: 0.001, writing: 4 }, calm)).toBe(40);
  expect(checkpointInterval({ stall: 60, writing: 60 }, { nodes: 1, failures: 0, trained: 0 })).toBe(900);
});

it('is measured by the median of the run’s own saves', () => {
  const lines = [0.1, 0.3, 9].map((stall) =>
    line({ file: 'checkpoint', stall_seconds: stall, seconds: 1 + stall }),
  );
  expect(saveCost([...lines, line({ file: 'rank-state', stall_seconds: 99, seconds: 99 })])).toEqual({
    stall: 0.3,
    writing: 1.3,
  });
  expect(saveCost([line({ file: 'checkpoint', stall_seconds: 'NaN', seconds: -1 })])).toEqual({
    stall: 0.5,
    writing: 2,
  });
});
