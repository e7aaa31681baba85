import { expect, it } from 'vitest';
import type { Settings } from '../../shared/contract/api.ts';
import { emptyLab } from '../../shared/lab/lab.ts';
import type { Point } from '../../shared/metrics/metrics.ts';
import type { RunEvent, RunRecord } from '../../shared/run/run.ts';
import type { ValueWatch } from '../../shared/metrics/value-watch.ts';
import { createEventLog } from '../base/events.ts';
import type { StoredPoints } from '../run/index.ts';
import { notifyPassed } from './value-notices.ts';

const watched = (value: ValueWatch['value'], limit: number, above = true): ValueWatch => ({
  value,
  above,
  limit,
});
const top1 = (t: number, value: number): Point => ({
  source: 'rank-0',
  line: { v: 1, seq: t, t, kind: 'eval', top1: value },
});

function bench(watches: ValueWatch[], stored: readonly Point[] = [], more: Partial<RunRecord> = {}) {
  const events = createEventLog();
  let notify: StoredPoints['notify'] = () => undefined;
  const lab = emptyLab('l', 'L');
  let drawn = { ...lab, experiment: { ...lab.experiment, watches } };
  let happened: RunEvent[] = [];
  const said: string[] = [];
  const settings: Settings = { language: 'zh-CN', theme: 'system', notifications: true };
  notifyPassed({
    events,
    storedPoints: { subscribe: (listener) => void (notify = listener) },
    platform: { notify: ({ title, body }) => said.push(`${title}: ${body}`) },
    runs: {
      // The code reads only a run's id, name, state, lab, events and members.
      get: (id) =>
        Promise.resolve({
          id,
          name: 'first',
          labId: 'l',
          lab,
          state: 'running',
          events: happened,
          ...more,
        } as unknown as RunRecord),
      note: (_, more) => {
        happened = [...happened, ...more];
        return Promise.resolve();
      },
    },
    store: { lines: ({ kinds }) => Promise.resolve(stored.filter(({ line }) => kinds.includes(line.kind))) },
    labNow: () => Promise.resolve(drawn),
    settings: () => Promise.resolve(settings),
  });
  const come = async (points: readonly Point[], truncated = false, runId = 'r'): Promise<void> => {
    const source = points[0]?.source ?? 'rank-0';
    notify(runId, source, { points: [...points], ...(truncated ? { unreported: 1 } : {}) });
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return {
    said,
    come,
    /** A lab file is no lab of the data folder: that it has changed is not reported. */
    edit: (next: ValueWatch[]) => {
      drawn = { ...drawn, experiment: { ...drawn.experiment, watches: next } };
    },
    happened: () => happened,
    draw: (next: ValueWatch[]) => {
      drawn = { ...drawn, experiment: { ...drawn.experiment, watches: next } };
      events.emit('lab.changed', { labId: 'l', revision: 2, summary: null });
    },
  };
}

it('records a value that passes its limit once, and notifies in the user’s language', async () => {
  const { come, said, happened, draw } = bench([watched('top1', 90)]);
  await come([top1(1, 80)]);
  expect(said).toEqual([]);
  await come([top1(2, 91.25), top1(3, 92)]);
  await come([top1(4, 93)]);
  expect(said).toEqual(['Ringlab: first: 验证 Top-1 ≥ 90 %: 91.25 %']);
  expect(happened()).toEqual([
    {
      t: 2,
      kind: 'passed',
      what: 'Validation top-1 ≥ 90 %: 91.25 %',
      passed: { ...watched('top1', 90), reached: 91.25 },
    },
  ]);
  // A limit set while the run trains applies from then on.
  draw([watched('top1', 90), watched('top1', 95)]);
  await come([top1(5, 96)]);
  expect(said).toHaveLength(2);
});

it('takes the limits of a lab file from each of its runs', async () => {
  const { come, said, edit } = bench([]);
  await come([top1(1, 95)]);
  edit([watched('top1', 90)]);
  await come([top1(1, 95)], false, 'second');
  expect(said).toEqual(['Ringlab: first: 验证 Top-1 ≥ 90 %: 95 %']);
  await come([top1(2, 95)]);
  expect(said).toHaveLength(1);
});

it('reads the store where a line was too long to be told', async () => {
  const { come, said } = bench([watched('top1', 90)], [top1(2, 91)]);
  await come([], true);
  expect(said).toEqual(['Ringlab: first: 验证 Top-1 ≥ 90 %: 91 %']);
});

it('records a loss that jumps to infinity as a record can store it', async () => {
  const { come, said, happened } = bench([watched('loss', 100)]);
  const step = (seq: number, loss: unknown): Point => ({
    source: 'rank-0',
    line: { v: 1, seq, t: seq, kind: 'step', loss },
  });
  await come([step(1, 3), step(2, 'Infinity'), step(3, 'NaN')]);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/≥ 100: ∞$/);
  expect(happened()[0]?.passed?.reached).toBe(Number.MAX_VALUE);
});

it('follows the rank that took rank 0’s part', async () => {
  const memberships = [{ generation: 1, t: 1, step: 12, ranks: [1, 2], lost: [0] }];
  const { come, happened } = bench([watched('top1', 75), watched('loss', 2, false)], [], { memberships });
  const line = (kind: string, values: object): Point['line'] => ({ v: 1, seq: 2, t: 2, kind, ...values });
  await come([
    { source: 'rank-2', line: line('step', { loss: 1 }) },
    { source: 'rank-1', line: line('step', { loss: 1.5 }) },
    { source: 'rank-1', line: line('eval', { top1: 80 }) },
  ]);
  expect(happened().map(({ passed }) => passed?.reached)).toEqual([80, 1.5]);
});
