import { describe, expect, it } from 'vitest';
import { attemptsOf } from '../../../shared/run/recovery.ts';
import type { Point } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { lastSeqsAt, withSupervised } from './supervised.ts';

const rank = (number: number): RankRecord => ({
  rank: number,
  nodeId: `n${number}`,
  nodeName: `N${number + 1}`,
  localRank: 0,
  state: 'running',
  argv: ['ringlab-train', 'supervise'],
  env: {},
  directory: `/rank-${number}`,
});
const run = (change: Partial<RunRecord> = {}): RunRecord =>
  runRecord('r', { ranks: [rank(0), rank(1)], ...change });
const point = (source: string, seq: number, t: number, kind: string, fields = {}): Point => ({
  source,
  line: { v: 1, seq, t, kind, ...fields },
});
const failed = { goes_on: true, attempt: 1, rank: 1, signal: 9, step: 50, from_step: 44, pause_seconds: 0 };
const restart = (seq: number, t: number, more = {}): Point =>
  point('rank-0', seq, t, 'restart', { ...failed, ...more });

describe('what the supervisors on the nodes did', () => {
  it('is recorded once, with the cause and what was reached', () => {
    const lines = [restart(9, 100, { trained_from: 90, trained_to: 98 }), point('rank-0', 10, 104, 'start')];
    const once = withSupervised(run(), lines);
    expect(once.recovery?.restarts).toEqual([
      {
        by: 'node',
        attempt: 1,
        t: 100,
        error: {
          code: 'rank_killed',
          params: { rank: 1, node: 'N2', signal: 'SIGKILL' },
          where: 'N2',
        },
        step: 50,
        from: 44,
        seq: 9,
        trained: { from: 90, to: 98 },
      },
    ]);
    expect(withSupervised(once, lines)).toBe(once);
    const twice = withSupervised(once, [...lines, restart(30, 200, { rank: 0, signal: 11 })]);
    expect(twice.recovery?.restarts.map(({ attempt, seq }) => [attempt, seq])).toEqual([
      [1, 9],
      [2, 30],
    ]);
    expect(attemptsOf(twice)).toBe(3);
  });

  it('names the error that each end means', () => {
    const code = (more: object): string | undefined =>
      withSupervised(run(), [restart(1, 1, { signal: undefined, ...more })]).recovery?.restarts[0]?.error
        .code;
    expect(code({ signal: 9, out_of_memory: true })).toBe('rank_out_of_memory');
    expect(code({ signal: 9, silent: true })).toBe('rank_lost');
    expect(code({ exit_code: 4, code: 'peer_lost', message: 'rank 1 was lost' })).toBe('peer_lost');
    expect(code({ exit_code: 6 })).toBe('rank_out_of_memory');
    expect(code({ exit_code: 1, message: 'no' })).toBe('rank_failed');
  });

  it('is shown while they wait: for a supervisor that is gone, and for the back-off', () => {
    const gone = [point('rank-0', 9, 100, 'restart_wait', { ranks: [1] })];
    const waiting = withSupervised(run(), gone);
    expect(waiting.recovery?.waiting).toEqual({ for: 'nodes', names: ['N2'], since: 100 });
    const on = withSupervised(waiting, [...gone, point('rank-0', 10, 120, 'start')]);
    expect(on.recovery?.waiting).toBeUndefined();
    const paused = withSupervised(run(), [restart(9, 100, { pause_seconds: 8 })]);
    expect(paused.recovery?.waiting).toEqual({ for: 'backOff', names: [], since: 100, until: 108 });
    // Rank 0's node is gone: another one says so.
    const first = withSupervised(run(), [point('rank-1', 3, 50, 'restart_wait', { ranks: [0] })]);
    expect(first.recovery?.waiting?.names).toEqual(['N1']);
  });

  it('ends where they gave the run up, until somebody starts it again', () => {
    const line = restart(9, 100, { goes_on: false, why: 'tooOften' });
    expect(withSupervised(run(), [line]).recovery).toEqual({ restarts: [], ended: 'tooOften' });
    const again = run({ recovery: { restarts: [], resumedAt: 130 } });
    expect(withSupervised(again, [line])).toBe(again);
  });

  it('is over where the app has started the run again since', () => {
    const byApp = {
      attempt: 1,
      t: 130,
      error: { code: 'rank_lost' as const, params: {} },
      step: 50,
      from: 44,
      seq: 9,
    };
    const after = run({ attempt: 2, recovery: { restarts: [byApp] } });
    expect(withSupervised(after, [point('rank-0', 9, 100, 'restart_wait', { ranks: [1] })])).toBe(after);
    const recovering = run({ state: 'recovering' });
    expect(withSupervised(recovering, [restart(9, 100)])).toBe(recovering);
  });

  it('is recorded also where the clock was set back since the user resumed the run', () => {
    const byApp = {
      ...{ attempt: 2, t: 130, error: { code: 'rank_lost' as const, params: {} } },
      ...{ step: 50, from: 44, seq: 9 },
    };
    const recovery = { restarts: [byApp], resumedAt: 90_000, resumedAttempt: 2 };
    const again = withSupervised(run({ attempt: 3, recovery }), [restart(20, 140)]);
    expect(again.recovery?.restarts.map(({ seq }) => seq)).toEqual([9, 20]);
  });

  it('is recorded also where the clock was set back before the app started the run again', () => {
    const error = { code: 'rank_lost' as const, params: {} };
    const byApp = { attempt: 1, t: 90_000, error, step: 50, from: 44, seq: 9 };
    const resumed = { restarts: [], resumedAt: 90_000, resumedAttempt: 2 };
    const lastSeqs = [9, 4];
    const old = [restart(8, 89_990), point('rank-1', 4, 89_995, 'restart_wait', { ranks: [0] })];
    for (const before of [{ restarts: [byApp] }, resumed]) {
      const seen = (...lines: Point[]): RunRecord['recovery'] =>
        withSupervised(run({ attempt: 2, recovery: { ...before, lastSeqs } }), [...old, ...lines]).recovery;
      expect(seen()).toEqual({ ...before, lastSeqs });
      expect(seen(restart(20, 86_400))?.restarts.at(-1)).toMatchObject({ seq: 20, by: 'node' });
      expect(seen(restart(20, 86_400, { goes_on: false, why: 'tooOften' }))?.ended).toBe('tooOften');
      const waits = seen(point('rank-1', 5, 86_400, 'restart_wait', { ranks: [0] }));
      expect(waits?.waiting).toEqual({ for: 'nodes', names: ['N1'], since: 86_400 });
    }
  });

  it('of earlier attempts is recognised by numbers where the clock was set back, else by times', async () => {
    const store = { lastSeq: (_: string, source: string) => Promise.resolve(source === 'rank-0' ? 9 : 4) };
    const recovery = { restarts: [], resumedAt: 90_000, resumedAttempt: 2 };
    expect(await lastSeqsAt(86_400, store, run({ recovery }))).toEqual([9, 4]);
    expect(await lastSeqsAt(90_001, store, run({ recovery }))).toBeUndefined();
    expect(await lastSeqsAt(1, store, run())).toBeUndefined();
  });

  it('is taken from rank 0 alone, and nothing from a line that cannot be', () => {
    const before = run();
    for (const odd of [
      point('rank-1', 9, 100, 'restart', failed),
      restart(9, 100, { rank: -1 }),
      restart(9, 100, { rank: 'x' }),
      restart(9, 100, { step: 1e300 }),
      restart(9, 100, { goes_on: 'yes' }),
      restart(9, 100, { message: 'x'.repeat(3000) }),
      restart(9, 100, { goes_on: false, why: 'because' }),
      point('rank-1', 9, 100, 'restart_wait', { ranks: 'all' }),
      point('rank-1', 9, 100, 'restart_wait', { ranks: [77] }),
    ])
      expect(withSupervised(before, [odd])).toBe(before);
  });
});
