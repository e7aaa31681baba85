import { expect, it } from 'vitest';
import type { MetricLine, Point } from '../../../shared/metrics/metrics.ts';
import { Restart } from '../../../shared/run/recovery.ts';
import { scriptResumption } from './script-resumption.ts';

const stored = (...lines: readonly (readonly [t: number, kind: string, fields: object])[]) => ({
  lines: () =>
    Promise.resolve(
      lines.map(([t, kind, fields], seq): Point => ({
        source: 'rank-0',
        line: { v: 1, seq, t, kind, ...fields } as MetricLine,
      })),
    ),
});
const scalar = (t: number, step?: number) =>
  [t, 'scalar', { step, values: { loss: 1 } }] as [number, string, object];
const end = (attempt: number) => [0, 'collect_end', { attempt }] as [number, string, object];

it('an own script goes on at its next attempt’s first step; what it had done since is done again', async () => {
  const before = [scalar(100, 10), scalar(110, 20), scalar(120, 30), scalar(130, 40)];
  const failed = { attempt: 1, step: 40 };
  // What was printed before the failure may be collected after it was noticed.
  expect(await scriptResumption(stored(...before), 'r', failed)).toBeUndefined();
  expect(await scriptResumption(stored(...before, end(1), scalar(150)), 'r', failed)).toBeUndefined();
  expect(
    await scriptResumption(stored(...before, end(1), scalar(150), scalar(151, 20)), 'r', failed),
  ).toEqual({
    ...{ t: 151, step: 20, lostSteps: 20, lostSeconds: 20 },
  });
  expect(await scriptResumption(stored(...before, end(1), scalar(151, 41)), 'r', failed)).toMatchObject({
    ...{ step: 41, lostSteps: 0, lostSeconds: 0 },
  });
});

it('is asked of each attempt by itself', async () => {
  const lines = [scalar(100, 10), end(1), end(2), scalar(200, 5), scalar(210, 15), end(3), scalar(300, 10)];
  expect(await scriptResumption(stored(...lines), 'r', { attempt: 1, step: 10 })).toBeUndefined();
  expect(await scriptResumption(stored(...lines), 'r', { attempt: 2, step: 10 })).toMatchObject({ step: 5 });
  expect(await scriptResumption(stored(...lines), 'r', { attempt: 3, step: 15 })).toEqual({
    ...{ t: 300, step: 10, lostSteps: 5, lostSeconds: 0 },
  });
});

it('a requeued job has an end for each of its starts: the attempt’s last counts', async () => {
  const lines = [scalar(100, 10), end(1), scalar(200, 20), scalar(210, 200), end(1)];
  const failed = { attempt: 1, step: 200 };
  expect(await scriptResumption(stored(...lines), 'r', failed)).toBeUndefined();
  const again = stored(...lines, scalar(300, 190));
  expect(await scriptResumption(again, 'r', failed)).toMatchObject({ t: 300, step: 190, lostSteps: 10 });
});

it('a script that counts steps as nanoseconds leaves a resumption that a record can hold', async () => {
  const nanoseconds = 1.7e18;
  const lines = [scalar(100, nanoseconds), scalar(110, nanoseconds + 1e10), end(1)];
  const again = scalar(200, nanoseconds + 1e11);
  const resumed = await scriptResumption(stored(...lines, again), 'r', { attempt: 1, step: 0 });
  expect(Restart.shape.resumed.safeParse(resumed).success).toBe(true);
  // Nothing is done again: its clock went on.
  expect(resumed).toMatchObject({ t: 200, lostSteps: 0, lostSeconds: 0 });
});
