import { describe, expect, it } from 'vitest';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { createEventLog } from '../../base/events.ts';
import { defaultSettings } from '../record/settings.ts';
import { createMemoryStore } from '../testing/memory-store.ts';
import type { NewPoints } from '../record/stored-points.ts';
import { createLineTracker, type LineTracker } from './line-tracker.ts';

const rank = (number: number): RankRecord => ({
  ...{ rank: number, nodeId: `n${number}`, nodeName: `N${number}`, localRank: 0, state: 'running' },
  ...{ argv: [], env: {}, directory: `/rank-${number}` },
});
const line = (seq: number, kind: string, fields = {}): MetricLine => ({
  v: 1,
  seq,
  t: 100 + seq,
  kind,
  ...fields,
});
const start = (seq: number): MetricLine => line(seq, 'start', { start_step: 0 });
const step = (seq: number, number: number): MetricLine =>
  line(seq, 'step', { epoch: 0, step: number, loss: 1 });
const without0 = (seq: number): MetricLine =>
  line(seq, 'membership', { generation: 1, step: 5, ranks: [1, 2], lost: [0] });

/** How many points a service of this process got, or an event had. */
type Told = { source: string; all: number } | { event: number };

/** A run of three ranks that goes on without lost ones. @param stored the lines that the app had stored before it died */
async function follow(stored: Record<string, MetricLine[]>): Promise<{
  tracker: LineTracker;
  append: (source: string, ...lines: MetricLine[]) => Promise<void>;
  run: () => RunRecord;
  told: readonly Told[];
}> {
  let run = runRecord('r', { onLostRank: 'continue', ranks: [0, 1, 2].map(rank) });
  const store = createMemoryStore('/unused');
  const append = async (source: string, lines: MetricLine[]): ReturnType<typeof store.append> => {
    const bytes = Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
    return await store.append({ runId: run.id, source, offset: await store.offset(run.id, source), bytes });
  };
  for (const [source, lines] of Object.entries(stored)) await append(source, lines);
  const keeper = {
    get current() {
      return run;
    },
    change: (apply: (before: RunRecord) => RunRecord) => Promise.resolve((run = apply(run))),
    progress: (progress: Partial<RunRecord>) => void (run = { ...run, ...progress }),
  };
  const told: Told[] = [];
  const events = createEventLog();
  events.subscribe((event) => {
    if (event.name === 'run.points') told.push({ event: event.data.points.length });
  });
  const storedPoints = {
    notify: (_: string, source: string, { points }: NewPoints) =>
      void told.push({ source, all: points.length }),
  };
  const tracker = createLineTracker({ store, events, settings: defaultSettings, storedPoints }, keeper);
  return {
    tracker,
    append: async (source, ...lines) => tracker.appended(source, await append(source, lines)),
    run: () => run,
    told,
  };
}
const generations = ({ memberships = [] }: RunRecord): number[] =>
  memberships.map(({ generation }) => generation);

describe('who takes part, as the lines of the ranks say', () => {
  it('is recorded from a rank that has begun in this attempt', async () => {
    const { append, run } = await follow({});
    await append('rank-1', start(0), without0(9), step(10, 5));
    expect(run().memberships?.map(({ lost }) => lost)).toEqual([[0]]);
    expect(run().step).toBe(6);
  });

  it('is not taken from a line of an earlier attempt that is read late', async () => {
    const { append, run } = await follow({});
    await append('rank-1', step(8, 4), without0(9), line(10, 'end'));
    expect(run().memberships).toBeUndefined();
    await append('rank-1', start(11), without0(20));
    expect(generations(run())).toEqual([1]);
  });

  it('is recorded where the app died before it had recorded what it had stored', async () => {
    const { tracker, run } = await follow({
      'rank-0': [start(0), step(1, 0)],
      'rank-1': [start(0), without0(9), step(10, 7)],
      'rank-2': [start(0)],
    });
    await tracker.load();
    expect(generations(run())).toEqual([1]);
    expect(run().step).toBe(8);
  });

  it('is taken from new lines, too, of a rank whose beginning the app had stored before it died', async () => {
    const { tracker, append, run } = await follow({ 'rank-1': [start(0), step(1, 0)] });
    await tracker.load();
    await append('rank-1', without0(9));
    expect(generations(run())).toEqual([1]);
  });

  it('is not taken from the stored lines of an attempt that has ended', async () => {
    const { tracker, append, run } = await follow({ 'rank-1': [start(0), without0(9), line(10, 'end')] });
    await tracker.load();
    await append('rank-1', line(11, 'sharing'));
    expect(run().memberships).toBeUndefined();
    expect(tracker.begun()).toBe(false);
  });

  it('is not taken from before the last beginning of a rank', async () => {
    const { tracker, run } = await follow({ 'rank-1': [start(0), without0(9), start(10), step(11, 5)] });
    await tracker.load();
    expect(run().memberships).toBeUndefined();
  });
});

it('tells services of this process all points, where an event has only the newest', async () => {
  const { append, told } = await follow({});
  const many = Array.from({ length: 2 * defaultSettings.pointsPerEvent }, (_, n) => step(n + 1, n));
  await append('rank-0', start(0), ...many);
  expect(told).toEqual([
    { source: 'rank-0', all: many.length + 1 },
    { event: defaultSettings.pointsPerEvent },
  ]);
});
