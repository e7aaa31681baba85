/** Tests of stored scalars: a series for each name, with the steps of its own lines, from memory and from the index. */
import { describe, expect, it } from 'vitest';
import type { Series } from '../../shared/metrics/metrics.ts';
import { scalarField, scalarsOf } from '../../shared/run/run-outputs.ts';
import { Engine } from './engine.ts';
import { bytesOf, line, runRecord, smallShape, temporaryFolder } from './testing/fixtures.ts';

const source = 'rank-0';
const names = Array.from({ length: 40 }, (_, n) => `group${n % 4}/value ${n}`);
/** Name `n` is logged every (n + 1)-th round; of an odd one each fifth value is not finite. */
const roundsOf = (n: number, rounds: number): number[] =>
  Array.from({ length: Math.ceil(rounds / (n + 1)) }, (_, k) => k * (n + 1));
const valueAt = (n: number, round: number): number | null =>
  n % 2 === 1 && round % 5 === 0 ? null : n + round / 1000;

/** A line for each name of each round, as event files give them. */
function linesOf(rounds: number): string[] {
  const lines: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    names.forEach((name, n) => {
      if (round % (n + 1) !== 0) return;
      const values = { [name]: valueAt(n, round) ?? 'NaN' };
      lines.push(line(lines.length, 'scalar', { from: 'tensorboard', step: round, values }));
    });
  }
  return lines;
}

async function seriesOf(engine: Engine, name: string, x: 'step' | 'epoch' | 't' = 'step'): Promise<Series> {
  const key = { source, kind: 'scalar', field: scalarField(name) };
  const [series] = await engine.series({ runId: 'r1', series: [key], x, maxPoints: 5000 });
  if (series === undefined) throw new Error('no series');
  return series;
}

async function withEngine<T>(folder: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = new Engine({ dataFolder: folder, shape: smallShape });
  expect(engine.repaired).toEqual([]);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

describe('scalars', () => {
  it('are a series a name at the steps of its own lines, live and when the store is opened again', async () => {
    using folder = temporaryFolder();
    const rounds = 300;
    const expectAll = async (engine: Engine): Promise<void> => {
      for (const [n, name] of names.entries()) {
        const { x, y, total } = await seriesOf(engine, name);
        expect(x).toEqual(roundsOf(n, rounds));
        expect(y).toEqual(roundsOf(n, rounds).map((round) => valueAt(n, round)));
        expect(total).toBe(x.length);
      }
    };
    await withEngine(folder.path, async (engine) => {
      await engine.saveRun(runRecord('r1'));
      let offset = 0;
      const all = linesOf(rounds);
      for (let from = 0; from < all.length; from += 97) {
        const bytes = bytesOf(...all.slice(from, from + 97));
        offset = (await engine.append({ runId: 'r1', source, offset, bytes })).nextOffset;
      }
      await expectAll(engine);
    });
    await withEngine(folder.path, async (engine) => {
      await expectAll(engine);
      const found = scalarsOf(await engine.catalogue('r1'));
      expect(found).toHaveLength(names.length);
      expect(found[0]).toEqual({
        name: 'group0/value 0',
        ranks: [{ rank: 0, points: rounds, steps: rounds, epochs: 0 }],
      });
      const newest = await engine.lines({ runId: 'r1', kinds: ['scalar'], limit: 2 });
      expect(newest.map(({ line: { step } }) => step)).toEqual([rounds - 1, rounds - 1]);
    });
  });

  it('that another attempt did again are drawn as it did them, each name from where it continued', async () => {
    using folder = temporaryFolder();
    const scalars: [values: Record<string, number>, step: number][] = [
      [{ loss: 3 }, 1],
      [{ loss: 2 }, 2],
      [{ accuracy: 50 }, 2],
      [{ loss: 1 }, 3],
    ];
    const again: typeof scalars = [
      [{ loss: 1.5 }, 2],
      [{ loss: 0.5 }, 3],
      [{ loss: 0.25 }, 4],
      [{ accuracy: 60 }, 4],
    ];
    const line_ = ([values, step]: (typeof scalars)[number], seq: number): string =>
      line(seq, 'scalar', { step, values });
    await withEngine(folder.path, async (engine) => {
      await engine.saveRun(runRecord('r1'));
      const bytes = bytesOf(
        ...scalars.map((one, n) => line_(one, n)),
        line(4, 'collect_end', { attempt: 1 }),
        ...again.map((one, n) => line_(one, 5 + n)),
        line(9, 'collect_end', { attempt: 2 }),
      );
      await engine.append({ runId: 'r1', source, offset: 0, bytes });
      expect(await seriesOf(engine, 'loss')).toMatchObject({ x: [1, 2, 3, 4], y: [3, 1.5, 0.5, 0.25] });
      expect(await seriesOf(engine, 'accuracy')).toMatchObject({ x: [2, 4], y: [50, 60] });
      expect((await seriesOf(engine, 'loss', 't')).y).toEqual([3, 2, 1, 1.5, 0.5, 0.25]);
    });
    await withEngine(folder.path, async (engine) => {
      expect(await seriesOf(engine, 'loss')).toMatchObject({ x: [1, 2, 3, 4], y: [3, 1.5, 0.5, 0.25] });
    });
  });

  it('of one name along steps do not depend on lines of others that have no step', async () => {
    using folder = temporaryFolder();
    await withEngine(folder.path, async (engine) => {
      await engine.saveRun(runRecord('r1'));
      const lines = [0, 1, 2, 3, 4, 5].map((n) =>
        n % 2 === 0
          ? line(n, 'scalar', { step: n, epoch: n / 2, values: { loss: n } })
          : line(n, 'scalar', { values: { 'gpu/temperature': n } }),
      );
      await engine.append({ runId: 'r1', source, offset: 0, bytes: bytesOf(...lines) });
      expect(await seriesOf(engine, 'loss')).toMatchObject({ x: [0, 2, 4], y: [0, 2, 4] });
      expect(await seriesOf(engine, 'loss', 'epoch')).toMatchObject({ x: [0, 1, 2], y: [0, 2, 4] });
      expect(await seriesOf(engine, 'gpu/temperature', 't')).toMatchObject({
        x: [1, 3, 5].map((n) => 1_700_000_000 + n),
        y: [1, 3, 5],
      });
    });
  });

  it('are read from lines as specified alone: other values make no series', async () => {
    using folder = temporaryFolder();
    await withEngine(folder.path, async (engine) => {
      await engine.saveRun(runRecord('r1'));
      const values = { ok: 1, text: 'x', nested: { a: 1 }, '': 2, ['x'.repeat(181)]: 3, none: null };
      const lines = [
        line(0, 'scalar', { values, step: 1 }),
        line(1, 'scalar', { values: [1, 2] }),
        line(2, 'scalar', { values: 7 }),
        line(3, 'scalar'),
      ];
      await engine.append({ runId: 'r1', source, offset: 0, bytes: bytesOf(...lines) });
      expect((await engine.catalogue('r1')).map(({ field }) => field)).toEqual(['values.ok']);
      expect(await engine.countPoints('r1')).toBe(4);
    });
  });
});
