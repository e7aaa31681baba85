import { describe, expect, it } from 'vitest';
import type { LabApi, RequestArgs } from '../../../shared/contract/api.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Point, Series, SeriesKey } from '../../../shared/metrics/metrics.ts';
import type { Range } from '../scale/axis.ts';
import { createFeed, type PointBatch } from './feed.ts';

const loss: SeriesKey = { source: 'rank-0', kind: 'step', field: 'loss' };
const point = (step: number, value: unknown, source = 'rank-0', kind = 'step'): Point => ({
  source,
  line: { v: 1, seq: step, t: 1000 + step, kind, step, loss: value },
});

/** A store of loss by step, whose answers the test releases one by one. */
function setUp(
  stored: Map<number, number | null>,
  options: { maxPoints?: number; x?: 'step' | 't'; keys?: readonly SeriesKey[]; range?: Range } = {},
) {
  const asked: RequestArgs<'metrics.series'>[] = [];
  const waiting: ((fail?: RinglabError) => void)[] = [];
  let listener: ((batch: PointBatch) => void) | undefined;
  const timers: (() => void)[] = [];
  const waits: number[] = [];
  const api: Pick<LabApi, 'call'> = {
    call: (name, args) =>
      new Promise((resolve, reject) => {
        if (name !== 'metrics.series') throw new Error(name);
        const query = args as RequestArgs<'metrics.series'>;
        asked.push(query);
        waiting.push((fail) => {
          if (fail !== undefined) {
            reject(fail);
            return;
          }
          const kept = [...stored].filter(
            ([x]) => x >= (query.from ?? -Infinity) && x <= (query.to ?? Infinity),
          );
          const answer: Series[] = query.series.map((key) => ({
            key,
            x: kept.map(([x]) => x),
            y: kept.map(([, y]) => y),
            total: kept.length,
            newest: Math.max(-1, ...stored.keys()),
          }));
          // The only request that is made; its result is an array of series.
          resolve(answer as never);
        });
      }),
  };
  const feed = createFeed({
    api,
    runId: 'run',
    keys: options.keys ?? [loss],
    x: options.x ?? 'step',
    ...{ maxPoints: options.maxPoints ?? 100, range: options.range },
    subscribe: (listen) => {
      listener = listen;
      return () => {
        listener = undefined;
      };
    },
    later: (run, milliseconds) => {
      timers.push(run);
      waits.push(milliseconds);
      return () => timers.splice(timers.indexOf(run), 1);
    },
  });
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
  return {
    feed,
    asked,
    timers,
    waits,
    live: (points: readonly Point[], truncated = false) => listener?.({ points, truncated }),
    listening: () => listener !== undefined,
    async answer(fail?: RinglabError) {
      waiting.shift()?.(fail);
      await settle();
    },
    async fire() {
      timers.shift()?.();
      await settle();
    },
    xs: () => feed.track(loss)?.x ?? [],
    ys: () => feed.track(loss)?.y ?? [],
  };
}

const steps = (to: number) => new Map(Array.from({ length: to }, (_, i) => [i, 3 - i / 100] as const));

describe('a feed of series', () => {
  it('joins stored points and those that arrive during the request, each once', async () => {
    const t = setUp(steps(5));
    expect(t.feed.state.phase).toBe('loading');
    t.live([point(3, 2.97), point(4, 2.96), point(5, 2.95)]);
    await t.answer();
    t.live([point(5, 2.95), point(6, 2.94)]);
    expect(t.feed.state.phase).toBe('ready');
    expect(t.xs()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(t.asked).toHaveLength(1);
  });

  it('shows each of several lines at one x, as the store does', async () => {
    const t = setUp(steps(3));
    t.live([point(2, 2.98)]);
    await t.answer();
    const [first, second] = [3, 4].map((seq): Point => {
      const { source, line } = point(2, 10 + seq);
      return { source, line: { ...line, seq } };
    });
    if (first === undefined || second === undefined) throw new Error('no points');
    t.live([first]);
    t.live([first, second]);
    expect(t.xs()).toEqual([0, 1, 2, 2, 2]);
    expect(t.ys().slice(2)).toEqual([2.98, 13, 14]);
  });

  it('keeps of what arrives behind a zoom the first point, to which the line leads', async () => {
    const t = setUp(steps(3), { range: { from: 1, to: 2.5 } });
    await t.answer();
    t.live([point(3, 5), point(4, 6), point(0, 9)]);
    expect(t.xs()).toEqual([1, 2]);
    expect(t.feed.track(loss)?.after).toEqual({ x: 3, y: 5 });
  });

  it('requests points again if some were omitted, and shows the answer', async () => {
    const stored = steps(3);
    const t = setUp(stored);
    await t.answer();
    for (let i = 3; i < 30; i += 1) stored.set(i, 1);
    t.live([point(29, 1)], true);
    expect(t.xs()).toEqual([0, 1, 2, 29]);
    await t.fire();
    await t.answer();
    expect(t.xs()).toHaveLength(30);
  });

  it('requests once more if points were omitted during the request', async () => {
    const t = setUp(steps(3));
    t.live([], true);
    expect(t.asked).toHaveLength(1);
    await t.answer();
    await t.fire();
    expect(t.asked).toHaveLength(2);
  });

  it('requests at most once per timer interval, however many batches are truncated', async () => {
    const t = setUp(steps(3));
    await t.answer();
    for (let i = 0; i < 50; i += 1) t.live([point(3 + i, 1)], true);
    expect(t.timers).toHaveLength(1);
    expect(t.asked).toHaveLength(1);
  });

  it('stays within its limit and requests again at twice the number of points', async () => {
    const t = setUp(steps(10), { maxPoints: 10 });
    await t.answer();
    t.live(Array.from({ length: 500 }, (_, i) => point(10 + i, 1)));
    expect(t.xs().length).toBeLessThanOrEqual(40);
    expect(t.timers).toHaveLength(1);
  });

  it('requests the points again after a resume undid steps', async () => {
    const stored = steps(20);
    const t = setUp(stored);
    await t.answer();
    // Resumed from step 10: the store leaves out what came after it.
    for (let i = 10; i < 20; i += 1) stored.delete(i);
    stored.set(10, 9);
    t.live([point(10, undefined, 'rank-0', 'start'), point(10, 9)]);
    await t.fire();
    await t.answer();
    expect(t.xs()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(t.ys().at(-1)).toBe(9);
  });

  it('requests the points again where a script’s next attempt does steps again', async () => {
    const stored = steps(20);
    const t = setUp(stored);
    await t.answer();
    t.live([point(15, 7)]);
    expect(t.timers).toHaveLength(0);
    for (let i = 10; i < 20; i += 1) stored.delete(i);
    stored.set(10, 9);
    t.live([point(20, undefined, 'rank-0', 'collect_end'), point(10, 9)]);
    await t.fire();
    await t.answer();
    expect(t.ys().at(-1)).toBe(9);
    t.live([point(10, 9)]);
    expect(t.timers).toHaveLength(0);
  });

  it('requests the points again where a script’s next attempt begins at the last one', async () => {
    const stored = steps(4);
    const t = setUp(stored);
    await t.answer();
    stored.set(3, 9);
    t.live([point(4, undefined, 'rank-0', 'collect_end'), point(3, 9)]);
    await t.fire();
    await t.answer();
    expect([t.xs(), t.ys().at(-1)]).toEqual([[0, 1, 2, 3], 9]);
  });

  it('requests them for each rank, whose next attempt’s points come one after the other', async () => {
    const stored = steps(4);
    const t = setUp(stored, { keys: [loss, { ...loss, source: 'rank-1' }] });
    await t.answer();
    const ends = ['rank-0', 'rank-1'].map((rank) => point(4, undefined, rank, 'collect_end'));
    stored.set(3, 9);
    t.live([...ends, point(3, 9)]);
    await t.fire();
    await t.answer();
    t.live([point(3, 9, 'rank-1')]);
    expect(t.timers).toHaveLength(1);
  });

  it('requests them again where the next attempt begins during a request, the first one too', async () => {
    const stored = steps(4);
    const t = setUp(stored);
    t.live([point(4, undefined, 'rank-0', 'collect_end'), point(3, 9)]);
    await t.answer();
    stored.set(3, 9);
    await t.fire();
    await t.answer();
    expect([t.xs(), t.ys().at(-1)]).toEqual([[0, 1, 2, 3], 9]);
    expect(t.timers).toHaveLength(0);
  });

  it('marks NaN and infinities as gaps, and ignores non-numbers (fault 31)', async () => {
    const t = setUp(new Map([[0, null]]));
    await t.answer();
    t.live([point(1, 'NaN'), point(2, 'Infinity'), point(3, 1e308), point(4, 'text'), point(5, undefined)]);
    expect(t.xs()).toEqual([0, 1, 2, 3]);
    expect(t.ys()).toEqual([null, null, null, 1e308]);
  });

  it('uses the time axis on request', async () => {
    const t = setUp(new Map(), { x: 't' });
    await t.answer();
    t.live([point(1, 2)]);
    expect(t.xs()).toEqual([1001]);
  });

  it('ignores other sources, kinds and lines without a step', async () => {
    const t = setUp(steps(1));
    await t.answer();
    t.live([
      point(1, 1, 'rank-1'),
      point(1, 1, 'rank-0', 'eval'),
      { source: 'rank-0', line: { v: 1, seq: 9, t: 1, kind: 'step', loss: 4 } },
    ]);
    expect(t.xs()).toEqual([0]);
  });

  it('reports a failure, keeps its points, and loads again on request', async () => {
    const t = setUp(steps(3));
    await t.answer();
    t.feed.reload();
    await t.answer(new RinglabError('connection_lost', { host: 'Ringlab' }));
    expect(t.feed.state).toMatchObject({ phase: 'failed' });
    expect(t.feed.state.error?.code).toBe('connection_lost');
    expect(t.xs()).toEqual([0, 1, 2]);
    t.feed.reload();
    await t.answer();
    expect(t.feed.state).toEqual({ phase: 'ready' });
  });

  it('loads again after a failure, and draws no later points as if they were the whole curve', async () => {
    const t = setUp(steps(3));
    const lost = new RinglabError('connection_lost', { host: 'Ringlab' });
    await t.answer(lost);
    t.live([point(3, 2)]);
    expect(t.feed.state.phase).toBe('failed');
    expect(t.xs()).toEqual([]);
    await t.fire();
    await t.answer(lost);
    await t.fire();
    await t.answer();
    expect(t.feed.state).toEqual({ phase: 'ready' });
    expect(t.xs()).toEqual([0, 1, 2]);
    expect([t.asked.length, t.timers.length]).toEqual([3, 0]);
  });

  it('waits longer after each failure', async () => {
    const t = setUp(steps(3));
    for (let i = 0; i < 4; i += 1) {
      await t.answer(new RinglabError('connection_lost', { host: 'Ringlab' }));
      await t.fire();
    }
    for (const [i, wait] of t.waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(500 * 2 ** i);
      expect(wait).toBeLessThanOrEqual(1000 * 2 ** i);
    }
    expect(t.waits).toHaveLength(4);
  });

  it('fills a hole whose request failed', async () => {
    const stored = steps(3);
    const t = setUp(stored);
    await t.answer();
    for (let i = 3; i < 30; i += 1) stored.set(i, 1);
    t.live([point(29, 1)], true);
    await t.fire();
    await t.answer(new RinglabError('connection_lost', { host: 'Ringlab' }));
    await t.fire();
    await t.answer();
    expect(t.xs()).toHaveLength(30);
  });

  it('releases everything when it is closed', async () => {
    const t = setUp(steps(3));
    t.feed.close();
    await t.answer();
    expect(t.listening()).toBe(false);
    expect(t.feed.state.phase).toBe('loading');
  });
});
