import { expect, it } from 'vitest';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { progressAfter } from './progress.ts';

const line = (kind: string, fields: Record<string, unknown>): MetricLine => ({
  v: 1,
  seq: 0,
  t: 1,
  kind,
  ...fields,
});

it('has the bytes of the initial weights while they are sent, and none once training starts', () => {
  const sharing = progressAfter({}, [line('sharing', { tensors: 2, bytes: 44_600_000 })]);
  expect(sharing.sharedBytes).toBe(44_600_000);
  const started = progressAfter(sharing, [line('start', { start_epoch: 0, start_step: 0 })]);
  expect(started).toEqual({ sharedBytes: 0, epochsCompleted: 0, step: 0 });
});

it.each(['many', -1, 0.5, 1e300])('ignores %s bytes of initial weights', (bytes) => {
  expect(progressAfter({}, [line('sharing', { bytes })])).toEqual({});
});

it('keeps the epochs of earlier attempts where a resumed one ends before it has started', () => {
  const before = progressAfter({}, [line('start', { start_epoch: 0 }), line('epoch', { epoch: 1 })]);
  expect(before.epochsCompleted).toBe(2);
  expect(progressAfter(before, [line('end', { epochs_completed: 0 })]).epochsCompleted).toBe(2);
  // From an older checkpoint.
  const again = progressAfter(before, [
    line('start', { start_epoch: 1 }),
    line('end', { epochs_completed: 1 }),
  ]);
  expect(again.epochsCompleted).toBe(1);
});
