/** A downsampled series says what each point stands for: the mean of a bucket's values is not the middle of its extremes. */
import { describe, expect, it } from 'vitest';
import type { Series } from '../../shared/metrics/metrics.ts';
import { Engine } from './engine.ts';
import { bytesOf, line, runRecord, smallShape, temporaryFolder } from './testing/fixtures.ts';

const key = { source: 'rank-0', kind: 'step', field: 'bytes_sent' };

async function stored(
  rows: number,
  fieldsOf: (n: number) => Record<string, unknown>,
  ask: { x: 'step' | 't'; maxPoints: number; from?: number; to?: number },
): Promise<Series> {
  using folder = temporaryFolder();
  const engine = new Engine({ dataFolder: folder.path, shape: smallShape });
  await engine.saveRun(runRecord('r'));
  let offset = 0;
  for (let from = 0; from < rows; from += 50) {
    const lines = Array.from({ length: Math.min(50, rows - from) }, (_, i) =>
      line(from + i, 'step', fieldsOf(from + i)),
    );
    ({ nextOffset: offset } = await engine.append({
      runId: 'r',
      source: 'rank-0',
      offset,
      bytes: bytesOf(...lines),
    }));
  }
  const [series] = await engine.series({ runId: 'r', series: [key], ...ask });
  await engine.close();
  if (series === undefined) throw new Error('no series');
  return series;
}

const weighted = ({ means = [], counts = [] }: Series): { count: number; mean: number } => {
  const count = counts.reduce((sum, one) => sum + one, 0);
  return { count, mean: means.reduce((sum, mean, i) => sum + mean * (counts[i] ?? 0), 0) / count };
};

describe('the means of a downsampled series', () => {
  it.each([97, 1000, 3000])('are those of all %i values, where few are large', async (rows) => {
    // As of a mode that exchanges every eighth step.
    const series = await stored(rows, (step) => ({ step, bytes_sent: step % 8 === 7 ? 100e6 : 0 }), {
      x: 'step',
      maxPoints: 40,
    });
    expect(weighted(series).count).toBeCloseTo(rows, 6);
    expect(weighted(series).mean).toBeCloseTo((100e6 * Math.floor(rows / 8)) / rows, 0);
    if (rows < 1000) return;
    for (const mean of series.means ?? []) expect(Math.abs(mean - 12.5e6)).toBeLessThan(4e6);
    expect(Math.max(...series.y.map(Number))).toBe(100e6);
  });

  it('count neither values that are not finite nor those outside of the range', async () => {
    const series = await stored(900, (step) => ({ step, bytes_sent: step % 3 === 0 ? 'NaN' : step }), {
      x: 'step',
      maxPoints: 30,
      from: 300,
      to: 599,
    });
    expect(weighted(series).count).toBeCloseTo(200, 6);
    expect(weighted(series).mean).toBeCloseTo(450, 6);
    expect(series.y.every((y, i) => (y === null) === (series.counts?.[i] === 0))).toBe(true);
  });

  it('are exact on an axis that is not in order, and with room for the ends alone', async () => {
    const fields = (n: number) => ({ step: (n * 7) % 500, bytes_sent: n % 5 === 0 ? 50 : 0 });
    for (const maxPoints of [2, 20]) {
      const series = await stored(500, fields, { x: 'step', maxPoints });
      expect(weighted(series).count).toBeCloseTo(500, 6);
      expect(weighted(series).mean).toBeCloseTo(10, 6);
    }
  });

  it('are finite where a sum overflows (fault 31)', async () => {
    const series = await stored(200, (step) => ({ step, bytes_sent: 1e308 }), { x: 'step', maxPoints: 20 });
    for (const mean of series.means ?? [Number.NaN]) expect(mean).toBe(1e308);
  });

  it('are left out where each point stands for itself', async () => {
    const series = await stored(30, (step) => ({ step, bytes_sent: step }), { x: 't', maxPoints: 40 });
    expect(series.y).toHaveLength(30);
    expect(series.means).toBeUndefined();
  });
});
