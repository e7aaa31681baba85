import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AnyEvent, LabApi } from '../../../shared/contract/api.ts';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { RankCollectives } from '../../../shared/run/collective-wait.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { sayScriptWaits } from './script-waits.ts';

beforeEach(() => vi.useFakeTimers({ now: 1000_000 }));
afterEach(() => vi.useRealTimers());

const rank = (number: number): RankRecord => ({
  rank: number,
  nodeId: `n${number}`,
  nodeName: `N${number}`,
  localRank: 0,
  state: 'running',
  argv: [],
  env: {},
  directory: '/d',
});
const run = runRecord('r', { lab: emptyLab('lab', 'Lab'), ranks: [rank(0), rank(1)] });
const started = (of: number): RankCollectives => ({
  rank: of,
  t: 1000,
  state: 'started',
  quiet: 0,
  groups: [],
});
const seen = (of: number, count: number): RankCollectives => ({
  rank: of,
  t: 1100,
  state: 'resting',
  quiet: 10,
  groups: [{ name: '0', count, ranks: [0, 1] }],
  ...(count === 5 ? { operation: { name: 'all_reduce', shape: [64], dtype: 'float32' } } : {}),
});

function following(answers: { collectives: RankCollectives[] }) {
  const said: string[] = [];
  let asked = 0;
  // One request alone is answered.
  const call = (() => {
    asked += 1;
    return Promise.resolve({ collectives: answers.collectives });
  }) as unknown as LabApi['call'];
  const waits = sayScriptWaits({ call }, run, 'en', (text) => said.push(text));
  return { waits, said, asked: () => asked };
}
const points = (runId: string, kind: string): AnyEvent =>
  ({
    name: 'run.points',
    data: { runId, truncated: false, points: [{ source: 'rank-0', line: { v: 1, seq: 1, t: 1, kind } }] },
  }) as AnyEvent;

describe('ranks of a followed script that wait', () => {
  it('that never call init_process_group are said once, after a minute', async () => {
    const { waits, said, asked } = following({ collectives: [started(0), started(1)] });
    await vi.advanceTimersByTimeAsync(40_000);
    expect(said).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^No rank has called init_process_group for .*2 processes trains by itself/);
    // Nothing new was said by the ranks, so nothing was read again.
    expect(asked()).toBe(1);
    waits.end();
  });

  it('in a collective are said with the rank that has not entered it; another wait is said again', async () => {
    const answers = { collectives: [] as RankCollectives[] };
    const { waits, said, asked } = following(answers);
    await vi.advanceTimersByTimeAsync(110_000);
    answers.collectives = [seen(0, 5), seen(1, 4)];
    waits.onEvent(points('another', 'collectives'));
    waits.onEvent(points('r', 'scalar'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect([said, asked()]).toEqual([[], 1]);
    waits.onEvent(points('r', 'collectives'));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^Not entered by rank 1: all_reduce \(64 float32\), collective 5 of its group/);
    expect(said[0]).toMatch(/\n {2}rank 0 {2}all_reduce/);
    answers.collectives = [seen(0, 4), seen(1, 5)];
    waits.onEvent(points('r', 'collectives'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(said).toHaveLength(2);
    expect(said[1]).toContain('Not entered by rank 0');
    waits.onEvent({ name: 'run.changed', data: { run: { ...run, state: 'stopped' } } } as AnyEvent);
    answers.collectives = [seen(0, 5), seen(1, 4)];
    waits.onEvent(points('r', 'collectives'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(said).toHaveLength(2);
    waits.end();
  });
});
