import { describe, expect, it } from 'vitest';
import { rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import type { Store } from '../../store/index.ts';
import { readFigures } from './figures.ts';

let seq = 0;
const at = (kind: string, fields: object, rank = 0): Point => {
  seq += 1;
  return { source: rankSource(rank), line: { ...fields, v: 1, seq, t: 1000 + seq, kind } };
};
const steps = (from: number, count: number, seconds: number, rank = 0): Point[] =>
  Array.from({ length: count }, (_, n) => at('step', { step: from + n, step_seconds: seconds }, rank));

async function figures(points: readonly Point[]) {
  const store: Pick<Store, 'lines'> = {
    lines: ({ kinds, source, limit }) =>
      Promise.resolve(
        points
          .filter((one) => kinds.includes(one.line.kind) && (source === undefined || source === one.source))
          .slice(-limit),
      ),
  };
  const [found] = await readFigures(store, ['r']);
  return found;
}

describe('the figures of a run that was started again', () => {
  it('are of its newest attempt alone, whose batch they are counted with', async () => {
    const found = await figures([
      ...[at('start', { batch_size: 256 }), ...steps(0, 390, 1)],
      ...[at('start', { batch_size: 64, start_step: 390 }), ...steps(390, 2, 30), ...steps(392, 8, 0.25)],
    ]);
    expect(found).toMatchObject({ secondsPerStep: 0.25, imagesPerSecond: 256 });
  });

  it('are of the attempt before, with its batch, until it has done steps that count', async () => {
    const first = [at('start', { batch_size: 256 }), ...steps(0, 390, 1)];
    const again = [at('start', { batch_size: 64, start_step: 200 }), ...steps(200, 2, 30)];
    const twice = [...again, at('start', { batch_size: 32, start_step: 200 })];
    for (const later of [again, twice])
      expect(await figures([...first, ...later])).toMatchObject({ secondsPerStep: 1, imagesPerSecond: 256 });
  });

  it('are without its start those of the steps alone', async () => {
    expect(await figures(steps(5, 10, 1))).toEqual({ runId: 'r', secondsPerStep: 1 });
  });

  it('and then lost ranks are not of the same steps of the attempt before', async () => {
    const found = await figures([
      ...[at('start', { batch_size: 256 }), ...steps(0, 390, 1, 1)],
      ...[at('start', { batch_size: 256, start_step: 200 }), ...steps(200, 20, 1, 1)],
      at('membership', { generation: 1, step: 220, ranks: [1], lost: [0], batch_size: 128 }, 1),
      ...steps(220, 10, 0.5, 1),
    ]);
    expect(found).toMatchObject({ secondsPerStep: 0.5, imagesPerSecond: 256 });
  });
});
