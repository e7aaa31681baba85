import { describe, expect, it } from 'vitest';
import type { MetricLine, Point } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { LinesQuery, Store } from '../../store/index.ts';
import { stopGrace } from './stop-grace.ts';

const storeOf = (lines: readonly (readonly [string, MetricLine])[]): Pick<Store, 'lines'> => ({
  lines: ({ kinds, source, limit }: LinesQuery) =>
    Promise.resolve(
      lines
        .filter(([of, { kind }]) => of === source && kinds.includes(kind))
        .map(([of, line]): Point => ({ source: of, line }))
        .slice(-limit),
    ),
});
const line = (kind: string, fields: Record<string, unknown>): MetricLine => ({
  v: 1,
  seq: 0,
  t: 1,
  kind,
  ...fields,
});
const step = (seconds: unknown): [string, MetricLine] => ['rank-0', line('step', { step_seconds: seconds })];
const save = (seconds: number): [string, MetricLine] => ['rank-0', line('checkpoint', { seconds })];
const settings = { stopGrace: 30_000, rejoinGrace: 300_000 };
const graceOf = (lines: [string, MetricLine][], change = {}): Promise<number> =>
  stopGrace(storeOf(lines), runRecord('r', change), settings);

describe('the time until ranks that stop are killed', () => {
  it('is enough for the steps and saves that were measured', async () => {
    expect(await graceOf([step(40), step(44), save(12), step(41)])).toBe(168_000);
    expect(await graceOf([step(0.2), save(0.5)])).toBe(30_000);
    // No save was measured yet.
    expect(await graceOf([step(1)])).toBe(93_000);
    expect(await graceOf([])).toBe(30_000);
  });
  it.each([
    ['local:50', 49],
    ['diloco:50,fragments=2', 49],
    // The period has grown from that of the mode's number.
    ['local:50,qsr=0.02', 300],
    ['local:2,stream=0.05,overlap=1,adapt=1', 60],
  ])('is enough for the exchange of %s, which most steps have no part in', async (sync, since) => {
    const run = runRecord('r');
    const lab = { ...run.lab, experiment: { ...run.lab.experiment, sync } };
    const lines = [step(100), save(2), ...Array<[string, MetricLine]>(since).fill(step(0.5))];
    expect(await graceOf(lines, { lab })).toBe(306_000);
  });
  it('forgets a slow step of long ago', async () => {
    const lines = [step(100), save(2), ...Array<[string, MetricLine]>(20).fill(step(0.5))];
    expect(await graceOf(lines)).toBe(30_000);
  });
  it('is bounded, whatever a node says', async () => {
    expect(await graceOf([step(1e9), save(1)])).toBe(3_600_000);
    expect(await graceOf([step('Infinity'), step(-5), save(1)])).toBe(30_000);
  });
  it('counts the rank that has rank 0’s part', async () => {
    const memberships = [{ generation: 1, t: 1, step: 5, ranks: [1, 2], lost: [0] }];
    const lines: [string, MetricLine][] = [step(1), save(1), ['rank-1', line('step', { step_seconds: 50 })]];
    expect(await graceOf(lines, { memberships })).toBe(240_000);
  });
  it('is longer where ranks stop for others to rejoin, unless the user stops the run meanwhile', async () => {
    const recovery = { restarts: [], rejoins: true } as const;
    const lines = [step(0.2), save(0.5)];
    expect(await graceOf(lines, { recovery })).toBe(300_000);
    expect(await graceOf(lines, { recovery, state: 'stopping' })).toBe(30_000);
  });
});
