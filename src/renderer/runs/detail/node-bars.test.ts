import { describe, expect, it } from 'vitest';
import type { Restart } from '../../../shared/run/recovery.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { nodeBars } from './node-bars.ts';

const ranks = ['N1', 'N1', 'N2'].map((nodeName, rank) => ({ rank, nodeName }) as RankRecord);
const run = (change: Partial<RunRecord>): RunRecord =>
  runRecord('r', { startedAt: 100, state: 'running', ranks, ...change });
const failed = (t: number, where: string, resumed?: number): Restart => ({
  attempt: 1,
  t,
  error: { code: 'rank_killed', params: {}, where },
  step: 9,
  from: 8,
  seq: t,
  ...(resumed === undefined ? {} : { resumed: { t: resumed, step: 8, lostSteps: 1, lostSeconds: 2 } }),
});
const spansOf = (change: Partial<RunRecord>, now = 200): Record<string, string[]> =>
  Object.fromEntries(
    (nodeBars(run(change), now)?.bars ?? []).map(({ node, spans }) => [
      node,
      spans.map(({ kind, from, to }) => `${kind} ${from}-${to}`),
    ]),
  );

describe('who was there when', () => {
  it('is not shown of a run in which nothing happened, or that has not begun', () => {
    expect(nodeBars(run({}), 200)).toBeUndefined();
    expect(
      nodeBars(run({ startedAt: undefined, recovery: { restarts: [failed(1, 'N1')] } }), 200),
    ).toBeUndefined();
  });

  it('is one bar a node: the one that was lost, and the others, which waited for it', () => {
    expect(spansOf({ recovery: { restarts: [failed(120, 'N2', 126)] } })).toEqual({
      N1: ['training 100-120', 'waiting 120-126', 'training 126-200'],
      N2: ['training 100-120', 'lost 120-126', 'training 126-200'],
    });
    const bars = nodeBars(run({ recovery: { restarts: [failed(120, 'N2', 126)] } }), 200);
    expect(bars?.bars[1]?.spans[1]).toMatchObject({ error: { code: 'rank_killed' }, lostSeconds: 2 });
  });

  it('says which node the others went on without: of one with several ranks, where all of them were lost', () => {
    const absences = [
      { ranks: [2], from: 110, step: 3, to: 120 },
      { ranks: [0], from: 125, step: 5, to: 150 },
      { ranks: [1], from: 130, step: 6, to: 150 },
    ];
    const memberships = [{ generation: 1, t: 180, step: 9, ranks: [0, 1], lost: [2] }];
    expect(spansOf({ recovery: { restarts: [], absences }, memberships })).toEqual({
      N1: ['training 100-130', 'absent 130-150', 'training 150-200'],
      N2: ['training 100-110', 'absent 110-120', 'training 120-180', 'absent 180-200'],
    });
    // They rejoined: the others stopped at 116, and all ran at 120.
    const rejoined = { restarts: [], absences: absences.slice(0, 1), rejoined: [116] };
    expect(spansOf({ recovery: rejoined })).toEqual({
      N1: ['training 100-116', 'waiting 116-120', 'training 120-200'],
      N2: ['training 100-110', 'absent 110-120', 'training 120-200'],
    });
    // Then too few were left, and all were started again.
    const restarted = {
      restarts: [failed(190, 'N1', 195)],
      absences: [{ ranks: [2], from: 185, step: 9, to: 195 }],
    };
    expect(spansOf({ recovery: restarted }).N2).toEqual([
      'training 100-185',
      'absent 185-190',
      'waiting 190-195',
      'training 195-200',
    ]);
  });

  it('follows a failure before training went on, one that still lasts, and the end', () => {
    const restarts = [failed(120, 'N2'), failed(130, 'N1', 140), failed(190, 'N2')];
    expect(spansOf({ recovery: { restarts } }).N1).toEqual([
      'training 100-120',
      'waiting 120-130',
      'lost 130-140',
      'training 140-190',
      'waiting 190-200',
    ]);
    const ended = { state: 'failed', endedAt: 195, recovery: { restarts } } as const;
    expect(spansOf(ended, 900).N2?.at(-1)).toBe('lost 190-195');
  });

  it('says when the app could not reach a node, whose ranks may have run', () => {
    const events = [
      { t: 110, kind: 'lost', what: 'N1' },
      { t: 115, kind: 'back', what: 'N1' },
      { t: 150, kind: 'link', what: 'N1 – N2' },
      { t: 180, kind: 'lost', what: 'N2' },
    ] as const;
    const bars = nodeBars(run({ events: [...events] }), 200)?.bars;
    expect(bars?.map(({ unreachable }) => unreachable)).toEqual([
      [{ from: 110, to: 115 }],
      [{ from: 180, to: 200 }],
    ]);
    expect(bars?.[0]?.spans).toEqual([{ kind: 'training', from: 100, to: 200 }]);
  });

  it('does not go back where clocks were set', () => {
    const restarts = [failed(150, 'N2', 140), failed(120, 'N1', 130)];
    for (const { spans } of nodeBars(run({ recovery: { restarts } }), 200)?.bars ?? [])
      for (const [index, span] of spans.entries()) {
        expect(span.to).toBeGreaterThan(span.from);
        expect(span.from).toBe(spans[index - 1]?.to ?? 100);
      }
  });
});
