import { describe, expect, it } from 'vitest';
import { makeAxis } from '../scale/axis.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { chartList, maxRanksDrawn, ranksOf, type ChartSpec, type RankChoice } from '../series/chart-list.ts';
import { draw, sharedRange } from './drawing.ts';
import { layOut } from '../card/layout.ts';
import { emptyTrack, insert, type Track } from '../series/track.ts';

const ranks = (count: number): RankChoice[] =>
  Array.from({ length: count }, (_, rank) => ({
    rank,
    nodeName: `n${rank}`,
    colour: '#123456',
    dash: undefined,
  }));
const specOf = (id: string, count = 2): ChartSpec => {
  const found = chartList(ranks(count), 'all').find((spec) => spec.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};
const filled = (ys: readonly number[]): Track => {
  const track = emptyTrack();
  ys.forEach((y, x) => insert(track, x, y, x));
  return track;
};
const options = {
  axis: makeAxis('step', undefined, 0),
  log: false,
  smoothing: 0,
  hidden: new Set<string>(),
  tickCount: 4,
};

describe('the list of charts', () => {
  it('draws the first ranks if there are too many to distinguish', () => {
    const [loss] = chartList(ranks(64), 'all');
    expect(loss?.lines).toHaveLength(maxRanksDrawn + 1);
    expect(chartList(ranks(64), 40)[0]?.lines.map((line) => line.key.source)).toEqual(['rank-40', 'rank-0']);
    // Evaluations of rank 0 and of those that took its part are one line.
    const [joined] = chartList(ranks(4), 1, undefined, [0, 2])[0]?.lines.slice(1) ?? [];
    expect(joined?.joinedOf?.map(({ source }) => source)).toEqual(['rank-0', 'rank-2']);
  });
});

describe('drawing a chart', () => {
  const outside = { before: { x: 0, y: 8 }, after: { x: 10, y: 2 } };
  const zoomed = (track: Partial<Track>, from: number, to: number, smoothing = 0) => {
    const all: Track = { x: [], y: [], version: 1, ...outside, ...track };
    return draw(specOf('loss', 1), (name) => (name.startsWith('rank-0/step') ? all : undefined), {
      ...{ ...options, smoothing },
      range: { from, to },
    });
  };

  it('leads a zoomed line out of the range, and is as high as what is seen of it', () => {
    const { lines, domain, points } = zoomed({ x: [5], y: [5] }, 4, 6);
    expect(points).toBe(1);
    expect(lines[0]?.rows.map(({ x, y }) => [x, y])).toEqual([
      [0, 8],
      [5, 5],
      [10, 2],
    ]);
    expect(domain.low).toBeGreaterThan(4);
    expect(domain.high).toBeLessThan(6);
  });

  it('draws the line between two points where the range has none', () => {
    const { lines, domain, points } = zoomed({}, 2, 3);
    expect([points, lines[0]?.rows.length]).toEqual([0, 2]);
    expect(domain.low).toBeLessThanOrEqual(6.2);
    expect(domain.high).toBeGreaterThanOrEqual(6.8);
    expect(domain.high).toBeLessThan(8);
    expect(zoomed({ after: undefined }, 2, 3).lines).toEqual([]);
  });

  it('leads a smoothed line out of the range, too', () => {
    const { lines } = zoomed({ x: [4, 5, 6], y: [5, 6, 5] }, 4, 6, 0.5);
    for (const rows of [lines[0]?.rows, lines[0]?.raw])
      expect(rows?.map(({ x }) => x)).toEqual([0, 4, 5, 6, 10]);
    expect(lines[0]?.rows[0]?.y).toBe(8);
    expect(lines[0]?.rows.at(-1)?.y).toBeCloseTo(2, 5);
  });

  it('interrupts the line of a rank where it was lost and the others went on', () => {
    const run = runRecord('r', {
      ranks: [0, 1].map(
        (rank) => ({ rank, nodeId: `n${rank}`, nodeName: `N${rank}`, localRank: 0 }) as RankRecord,
      ),
      recovery: { restarts: [], absences: [{ ranks: [1], from: 102.5, step: 2, to: 140 }] },
      // Lost again: nothing follows.
      memberships: [{ generation: 1, t: 190, step: 9, ranks: [0], lost: [1] }],
    });
    const spec = chartList(ranksOf(run), 'all').find(({ id }) => id === 'throughput');
    if (spec === undefined) throw new Error('no chart');
    const track = (x: number[]): Track => ({ x, y: x.map(() => 5), version: 1 });
    const steps = new Map(
      spec.lines.map(({ name }, i) => [name, track(i === 0 ? [0, 1, 2, 3, 4, 5] : [0, 1, 4, 5])]),
    );
    const ys = (axis: typeof options.axis, from: typeof steps): (number | null)[][] =>
      draw(spec, (name) => from.get(name), { ...options, axis }).lines.map(({ rows }) =>
        rows.map(({ y }) => y),
      );
    expect(ys(options.axis, steps)).toEqual([
      [5, 5, 5, 5, 5, 5],
      [5, 5, null, 5, 5],
    ]);
    const times = new Map(spec.lines.map(({ name }) => [name, track([101, 102, 141, 142])]));
    expect(ys(makeAxis('time', undefined, 100), times)[1]).toEqual([5, 5, null, 5, 5]);
    expect(draw(spec, (name) => steps.get(name), options).gaps).toEqual([]);
  });

  it('leaves out hidden lines, also from the axis', () => {
    const spec = specOf('loss');
    const tracks = new Map([
      [spec.lines[0]!.name, filled([1, 2, 3])],
      [spec.lines[1]!.name, filled([100, 200, 300])],
    ]);
    const all = draw(spec, (name) => tracks.get(name), options);
    const some = draw(spec, (name) => tracks.get(name), {
      ...options,
      hidden: new Set([spec.lines[1]!.name]),
    });
    expect(all.lines).toHaveLength(2);
    expect(all.domain.high).toBeGreaterThan(300);
    expect(some.lines).toHaveLength(1);
    expect(some.domain.high).toBeLessThan(4);
    expect(some.points).toBe(6);
  });

  it('draws the raw curve behind a smoothed one, but never smooths validation', () => {
    const spec = specOf('loss', 1);
    const drawing = draw(spec, () => filled([1, 5, 1, 5, 1]), { ...options, smoothing: 0.9 });
    expect(drawing.lines[0]?.raw?.map((row) => row.y)).toEqual([1, 5, 1, 5, 1]);
    expect(drawing.lines[0]?.rows.map((row) => row.y)).not.toEqual([1, 5, 1, 5, 1]);
    expect(drawing.lines[1]?.raw).toBeUndefined();
  });

  it('marks a gap common to all ranks once (fault 31)', () => {
    const track = filled([1, Number.NaN, Number.NaN, 2, 1]);
    const drawing = draw(specOf('loss'), () => track, options);
    expect(drawing.gaps).toEqual([{ from: 0, to: 3 }]);
  });

  it('shows values without a logarithm as gaps, only on a logarithmic axis', () => {
    const drawing = draw(specOf('loss', 1), () => filled([1, 0, 10]), { ...options, log: true });
    expect(drawing.log).toBe(true);
    expect(drawing.lines[0]?.rows.map((row) => row.y)).toEqual([1, null, 10]);
    expect(draw(specOf('top1', 1), () => filled([1, 0, 10]), { ...options, log: true }).log).toBe(false);
  });

  it('is empty for empty series', () => {
    const drawing = draw(specOf('loss'), () => undefined, options);
    expect(drawing).toMatchObject({ points: 0, lines: [], gaps: [] });
    expect(sharedRange([undefined, emptyTrack()])).toBeUndefined();
  });
});

describe('the layout', () => {
  it('requests at most one point per pixel, including live ones', () => {
    for (const width of [300, 600, 776, 1000, 1700, 3000]) {
      const layout = layOut({ width, height: 500 }, 'medium', false);
      expect(2 * layout.points).toBeLessThanOrEqual(Math.max(192, layout.width));
      expect(layout.columns * layout.width).toBeLessThanOrEqual(width);
    }
    expect(layOut({ width: 0, height: 0 }, 'medium', false).points).toBe(0);
  });
});
