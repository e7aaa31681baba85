import { describe, expect, it } from 'vitest';
import type { Point } from '../../../shared/metrics/metrics.ts';
import { timelineOf } from '../../../shared/metrics/timeline.ts';
import { cluster, marksOf, markX, pinnedAt, runTimeline } from './marks.ts';

let seq = 0;
const point = (t: number, kind: string, fields: Record<string, unknown>, source = 'rank-0'): Point => ({
  source,
  line: { v: 1, seq: (seq += 1), t, kind, ...fields },
});
const lines = [
  point(100, 'start', { start_step: 0 }),
  point(110, 'eval', { step: 10 }),
  point(111, 'checkpoint', { step: 10, epoch: 1, best: true, file: 'checkpoint' }),
  point(111, 'checkpoint', { step: 10, epoch: 1, best: true, file: 'rank-state' }, 'rank-1'),
  point(130, 'eval', { step: 30 }),
  point(135, 'warning', { code: 'no_nvml', message: 'no GPU' }, 'monitor-n1'),
  point(136, 'warning', { code: 'disk_full', message: 'The disk is full.' }, 'rank-2'),
  point(150, 'start', { start_step: 30 }),
];

describe('marks', () => {
  it('show a run’s checkpoints, resumes, warnings and events, each at its time', () => {
    const marks = marksOf(lines, [{ t: 120, kind: 'link', what: 'N1 – N2: 100 Mbps → 10 Mbps' }]);
    expect(marks.map(({ kind, t }) => [kind, t])).toEqual([
      ['best', 111],
      ['link', 120],
      ['warning', 136],
      ['resume', 150],
    ]);
    // Between step 10, whose checkpoint was written at 111, and step 30 at 130.
    expect(marks[1]?.step).toBeCloseTo(10 + (9 / 19) * 20);
    expect(marks[3]?.step).toBe(30);
  });

  it('show where a run sends more or less from, and why', () => {
    const change = {
      from: 'local:1,stream=0.156,overlap=1',
      to: 'local:2,stream=0.05,overlap=2',
      why: 'link_slower',
    };
    const marks = marksOf(
      [
        point(100, 'sync_change', { step: 7, epoch: 0, ...change, exchange_seconds: 2.5 }),
        point(100, 'sync_change', { step: 7, ...change }, 'rank-1'),
        point(120, 'sync_change', { step: 9, ...change, why: 'a reason of a later version' }),
      ],
      [],
    );
    expect(marks).toEqual([{ t: 100, kind: 'sync', step: 7, what: change.to, change }]);
  });

  it('show where ranks were lost and the others went on, once, and then the checkpoints of who has rank 0’s part', () => {
    const written = { generation: 1, step: 12, ranks: [1, 2], lost: [0] };
    const ranks = [0, 1, 2].map((rank) => ({ rank, nodeName: `N${rank + 1}` }));
    const marks = marksOf(
      [
        point(100, 'membership', written, 'rank-1'),
        point(101, 'membership', written, 'rank-2'),
        point(102, 'membership', { ...written, generation: 'two' }, 'rank-2'),
        point(110, 'checkpoint', { step: 20, epoch: 2, file: 'checkpoint' }, 'rank-1'),
        point(111, 'checkpoint', { step: 20, epoch: 2, file: 'checkpoint' }),
      ],
      [],
      [],
      ranks,
    );
    expect(marks.map(({ kind, t, step }) => [kind, t, step])).toEqual([
      ['fewer', 100, 12],
      ['checkpoint', 110, 20],
    ]);
    expect(marks[0]?.membership).toEqual({ ...written, t: 100 });
    expect(marks[0]?.ranks).toEqual(ranks);
  });

  it('show each failure that a run recovered from, and where it restarted instead of a resume', () => {
    const error = { code: 'rank_killed', params: {}, where: 'N2' } as const;
    const resumed = { t: 150, step: 30, lostSteps: 4, lostSeconds: 12 };
    const restart = { attempt: 1, t: 140, error, step: 34, from: 30, seq: 9, resumed };
    const marks = marksOf(lines, [], [restart]).filter(({ t }) => t >= 140);
    expect(marks).toEqual([
      { t: 140, kind: 'failed', step: 34, what: 'N2', error },
      { t: 150, kind: 'restarted', step: 30, what: '', resumed },
    ]);
  });

  it('are placed on either axis', () => {
    const timeline = timelineOf(lines);
    expect(markX({ t: 120, step: undefined }, 'step', timeline)).toBeCloseTo(10 + (9 / 19) * 20);
    expect(markX({ step: 5 }, 't', timeline)).toBe(105);
    expect(markX({}, 't', timeline)).toBeUndefined();
    expect(timelineOf([]).stepAt(5)).toBeUndefined();
  });

  it('lie within an unfinished epoch where the run was then, also after rank 0 was lost', () => {
    // A step a second; epochs of 5000 steps.
    const start = point(1000, 'start', { start_step: 0 });
    const ends = ['eval', 'epoch'].map((kind) => point(6000, kind, { step: 5000 }));
    const newest = point(5000, 'step', { step: 4000 });
    expect(runTimeline([start, newest], {}).stepAt(4600)).toBeCloseTo(3600);
    expect(runTimeline([start, newest], {}).timeAt(3000)).toBeCloseTo(4000);
    // A node is missed some time after its last step.
    expect(runTimeline([start, newest], {}).stepAt(5030)).toBe(4000);
    expect(runTimeline([start, newest], {}).stepAt(900)).toBe(0);
    const later = point(9500, 'step', { step: 8500 }, 'rank-1');
    const memberships = [{ generation: 1, t: 8000, step: 7000, ranks: [1, 2], lost: [0] }];
    const timeline = runTimeline([start, ...ends, later], { memberships });
    const [mark] = marksOf([], [{ t: 9000, kind: 'link', what: 'N1 – N2' }], [], [], timeline);
    expect(mark?.step).toBeCloseTo(8000);
    expect(timeline.timeAt(8000)).toBeCloseTo(9000);
  });

  it('lie where an attempt that failed within an epoch was', () => {
    const error = { code: 'rank_killed', params: {} } as const;
    const restart = { attempt: 1, t: 2100, error, step: 1000, from: 0, seq: 9 };
    const starts = [point(1000, 'start', { start_step: 0 }), point(2200, 'start', { start_step: 0 })];
    const timeline = runTimeline(starts, {}, [{ ...restart, trained: { from: 1000, to: 2000 } }]);
    expect([1500, 2100, 2200, 2300].map((t) => timeline.stepAt(t))).toEqual([500, 1000, 0, 0]);
    expect([500, 2000].map((step) => timeline.timeAt(step))).toEqual([1500, 2200]);
  });

  it('that a user pins keep what was pointed at: the rest is known better later', () => {
    const start = point(1000, 'start', { start_step: 0 });
    const pin = pinnedAt('step', 1499.6);
    expect(pin).toEqual({ step: 1500 });
    expect(markX(pin, 't', timelineOf([start]))).toBe(1000);
    expect(markX(pin, 't', timelineOf([start, point(3000, 'step', { step: 2000 })]))).toBe(2500);
    expect(pinnedAt('t', 7)).toEqual({ t: 7 });
  });

  it('that would overlap are joined', () => {
    const placed = [{ x: 50 }, { x: 3 }, { x: 5 }];
    expect(cluster(placed, 8).map(({ x, marks }) => [x, marks.length])).toEqual([
      [3, 2],
      [50, 1],
    ]);
  });
});
