/** Compares the columnar index with a simple model: a sorted array of lines. Small blocks fill every level. */
import { describe, expect, it } from 'vitest';
import { Engine } from './engine.ts';
import { SourceClock } from './source-clock.ts';
import { bytesOf, line, randomFrom, runRecord, smallShape, temporaryFolder } from './testing/fixtures.ts';

interface ModelLine {
  readonly seq: number;
  readonly step: number | undefined;
  readonly t: number;
  readonly loss: number | 'NaN' | undefined;
}

/** Fails on repairs: an index that repairs itself would hide a bug. */
function engineIn(dataFolder: string): Engine {
  const engine = new Engine({
    dataFolder,
    shape: smallShape,
    onRepaired: (damage) => {
      throw damage;
    },
  });
  expect(engine.repaired).toEqual([]);
  return engine;
}

const textOf = ({ seq, step, t, loss }: ModelLine): string =>
  `${JSON.stringify({ v: 1, seq, t, kind: 'step', epoch: 0, step, loss })}\n`;

function modelSeries(
  lines: readonly ModelLine[],
  axis: 'step' | 't',
  from: number,
  to: number,
): [number, number | null][] {
  const found: [number, number | null][] = [];
  for (const { step, t, loss } of [...lines].sort((a, b) => a.seq - b.seq)) {
    const x = axis === 't' ? t : step;
    if (loss === undefined || x === undefined || x < from || x > to) continue;
    found.push([x, loss === 'NaN' ? null : loss]);
  }
  return found.sort((a, b) => a[0] - b[0]);
}

/** Lines of one source; `wild` ones are out of order, skip numbers, and lack fields. */
function makeLines(count: number, random: () => number, wild: boolean): ModelLine[] {
  const lines: ModelLine[] = [];
  let clock = 1000;
  for (let n = 0; n < count; n += 1) {
    clock += wild && random() < 0.02 ? -30 : random();
    lines.push({
      seq: wild ? 3 * n + Math.floor(random() * 3) : n,
      step: wild && random() < 0.01 ? undefined : n,
      t: clock,
      loss: random() < 0.05 ? 'NaN' : wild && random() < 0.2 ? undefined : Math.round(random() * 1e6) / 1e3,
    });
  }
  if (wild) {
    for (let n = 0; n < count / 10; n += 1) {
      const [a, b] = [Math.floor(random() * count), Math.floor(random() * count)];
      const kept = lines[a]!;
      lines[a] = lines[b]!;
      lines[b] = kept;
    }
  }
  return lines;
}

async function check(engine: Engine, lines: readonly ModelLine[], random: () => number): Promise<void> {
  for (const axis of ['step', 't'] as const) {
    const span = modelSeries(lines, axis, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
    const edge = (): number => span[Math.floor(random() * span.length)]?.[0] ?? 0;
    const ranges: [number, number][] = [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]];
    for (let n = 0; n < 3; n += 1) ranges.push([edge(), edge() + random()]);
    for (const [from, to] of ranges) {
      const wanted = modelSeries(lines, axis, from, to);
      for (const maxPoints of [5000, 60, 11, 2]) {
        const [series] = await engine.series({
          runId: 'r',
          series: [{ source: 'rank-0', kind: 'step', field: 'loss' }],
          x: axis,
          ...(Number.isFinite(from) ? { from, to } : {}),
          maxPoints,
        });
        const drawn = series!.x.map((x, i): [number, number | null] => [x, series!.y[i] ?? null]);
        expect(series!.total).toBe(wanted.length);
        if (from <= to) {
          expect(series!.before).toEqual(finitePoint(span.findLast(([x]) => x < from)));
          expect(series!.after).toEqual(finitePoint(span.find(([x]) => x > to)));
        }
        if (wanted.length <= maxPoints) expect(drawn).toEqual(wanted);
        else expectFaithful(drawn, wanted, maxPoints);
      }
    }
  }
}

const finitePoint = (point: [number, number | null] | undefined) =>
  point === undefined || point[1] === null ? undefined : { x: point[0], y: point[1] };

/** Fewer points, all of them real, in order, with the ends, the spikes, and any gap. */
function expectFaithful(
  drawn: [number, number | null][],
  wanted: [number, number | null][],
  maxPoints: number,
): void {
  expect(drawn.length).toBeLessThanOrEqual(maxPoints);
  const real = new Set(wanted.map((point) => point.join(' ')));
  expect(drawn.filter((point) => !real.has(point.join(' ')))).toEqual([]);
  expect(drawn.every(([x], i) => i === 0 || x >= (drawn[i - 1]?.[0] ?? x))).toBe(true);
  expect(drawn[0]?.[0]).toBe(wanted[0]?.[0]);
  expect(drawn.at(-1)?.[0]).toBe(wanted.at(-1)?.[0]);
  if (maxPoints < 5) return;
  const finite = (points: [number, number | null][]): number[] =>
    points.map(([, y]) => y).filter((y) => y !== null);
  expect(Math.max(...finite(drawn))).toBe(Math.max(...finite(wanted)));
  expect(Math.min(...finite(drawn))).toBe(Math.min(...finite(wanted)));
  expect(drawn.some(([, y]) => y === null)).toBe(wanted.some(([, y]) => y === null));
}

describe('series compared with the model', () => {
  it.each([
    [1, 0],
    [2, 1],
    [3, 15],
    [4, 16],
    [5, 17],
    [6, 64],
    [7, 65],
    [8, 300],
    [9, 1100],
  ])('in order, with seed %i and %i lines', async (seed, count) => {
    await exercise(seed, count, false);
  });

  it.each([
    [11, 40],
    [12, 130],
    [13, 300],
    [14, 700],
  ])('out of order, with holes, with seed %i and %i lines', async (seed, count) => {
    await exercise(seed, count, true);
  });

  async function exercise(seed: number, count: number, wild: boolean): Promise<void> {
    using folder = temporaryFolder();
    const random = randomFrom(seed);
    const lines = makeLines(count, random, wild);
    const clock = new SourceClock();
    const reported = lines.map((one) => ({ ...one, t: clock.dated({ ...one, v: 1, kind: 'step' }).t }));
    let engine = engineIn(folder.path);
    await engine.saveRun(runRecord('r'));
    let offset = 0;
    let stored = 0;
    while (stored < count) {
      const batch = lines.slice(stored, stored + 1 + Math.floor(random() * 60));
      const bytes = bytesOf(...batch.map(textOf));
      const { points, nextOffset } = await engine.append({ runId: 'r', source: 'rank-0', offset, bytes });
      expect(points.map((point) => point.line.seq).sort((a, b) => a - b)).toEqual(
        batch.map(({ seq }) => seq).sort((a, b) => a - b),
      );
      offset = nextOffset;
      stored += batch.length;
      if (random() < 0.2) {
        await engine.close();
        engine = engineIn(folder.path);
      }
    }
    await check(engine, reported, random);
    await engine.close();
    engine = engineIn(folder.path);
    await check(engine, reported, random);
    expect(await engine.countPoints('r')).toBe(count);
    await engine.close();
  }

  it('keep a column that starts late, and one that ends early', async () => {
    using folder = temporaryFolder();
    let engine = engineIn(folder.path);
    await engine.saveRun(runRecord('r'));
    const lines = Array.from({ length: 400 }, (_, n) =>
      line(n, 'step', { step: n, ...(n >= 190 ? { late: n } : {}), ...(n < 37 ? { early: n } : {}) }),
    );
    let offset = 0;
    for (let from = 0; from < 400; from += 25) {
      const bytes = bytesOf(...lines.slice(from, from + 25));
      ({ nextOffset: offset } = await engine.append({ runId: 'r', source: 'rank-0', offset, bytes }));
    }
    for (const reopened of [false, true]) {
      if (reopened) {
        await engine.close();
        engine = engineIn(folder.path);
      }
      for (const maxPoints of [5000, 20]) {
        const key = { source: 'rank-0', kind: 'step' };
        const [late, early] = await engine.series({
          runId: 'r',
          series: [
            { ...key, field: 'late' },
            { ...key, field: 'early' },
          ],
          x: 'step',
          maxPoints,
        });
        expect([late!.total, late!.x[0], late!.x.at(-1)]).toEqual([210, 190, 399]);
        expect([early!.total, early!.x[0], early!.x.at(-1)]).toEqual([37, 0, 36]);
      }
    }
    await engine.close();
  });

  it('place a late line before the blocks in which a column starts, at every level', async () => {
    using folder = temporaryFolder();
    let engine = engineIn(folder.path);
    await engine.saveRun(runRecord('r'));
    const late = new Set([3, 150, 215, 300, 399]);
    const text = (n: number): string =>
      line(n, 'step', { step: n, loss: 1000 - n, ...(n >= 190 || n === 3 ? { extra: n } : {}) });
    const rows = Array.from({ length: 400 }, (_, n) => n);
    const order = [...rows.filter((n) => !late.has(n)), 399, 300, 215, 150, 3];
    let offset = 0;
    for (let from = 0; from < order.length; from += 20) {
      const bytes = bytesOf(...order.slice(from, from + 20).map(text));
      ({ nextOffset: offset } = await engine.append({ runId: 'r', source: 'rank-0', offset, bytes }));
      if (from % 100 === 80) {
        await engine.close();
        engine = engineIn(folder.path);
      }
    }
    for (const maxPoints of [5000, 40, 6]) {
      const key = { source: 'rank-0', kind: 'step' };
      const [loss, extra] = await engine.series({
        runId: 'r',
        series: [
          { ...key, field: 'loss' },
          { ...key, field: 'extra' },
        ],
        x: 'step',
        maxPoints,
      });
      expect([loss!.total, extra!.total]).toEqual([400, 211]);
      expect(loss!.y).toEqual(loss!.x.map((x) => 1000 - x));
      expect(extra!.y).toEqual(extra!.x);
      expect([extra!.x[0], extra!.x.at(-1)]).toEqual([3, 399]);
      if (maxPoints > 400) expect(loss!.x).toEqual(rows);
    }
    await engine.close();
  });

  it('truncate steps undone by a resume at every level', async () => {
    using folder = temporaryFolder();
    const engine = engineIn(folder.path);
    await engine.saveRun(runRecord('r'));
    let seq = 0;
    const lines: string[] = [];
    const attempt = (from: number, to: number, mark: number): void => {
      lines.push(line(seq++, 'start', { start_step: from, start_epoch: 0 }));
      for (let step = from; step < to; step += 1)
        lines.push(line(seq++, 'step', { step, epoch: 0, loss: mark }));
    };
    attempt(0, 500, 1);
    attempt(300, 350, 2);
    attempt(320, 400, 3);
    attempt(100, 600, 4);
    let offset = 0;
    for (let from = 0; from < lines.length; from += 50) {
      const bytes = bytesOf(...lines.slice(from, from + 50));
      ({ nextOffset: offset } = await engine.append({ runId: 'r', source: 'rank-0', offset, bytes }));
    }
    const read = async (maxPoints: number, range: { from?: number; to?: number } = {}) =>
      (
        await engine.series({
          runId: 'r',
          series: [{ source: 'rank-0', kind: 'step', field: 'loss' }],
          x: 'step',
          maxPoints,
          ...range,
        })
      )[0]!;
    const all = await read(5000);
    expect(all.x).toEqual(Array.from({ length: 600 }, (_, step) => step));
    expect(all.y).toEqual(all.x.map((step) => (step < 100 ? 1 : 4)));
    const few = await read(40);
    expect(few.total).toBe(600);
    expect(few.y.every((y, i) => y === (few.x[i]! < 100 ? 1 : 4))).toBe(true);
    expect((await read(40, { from: 90, to: 320 })).total).toBe(231);
    await engine.close();
  });
});
