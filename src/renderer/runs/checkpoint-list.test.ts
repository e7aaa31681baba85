import { describe, expect, it } from 'vitest';
import type { Point } from '../../shared/metrics.ts';
import { canGoOnFrom, checkpointsOf } from './checkpoint-list.ts';

let seq = 0;
const point = (kind: string, fields: Record<string, unknown>, source = 'rank-0'): Point => ({
  source,
  line: { v: 1, seq: (seq += 1), t: seq, kind, ...fields },
});
const save = (epoch: number, best: boolean): Point[] => [
  point('eval', { epoch: epoch - 1, top1: 10 * epoch }),
  point('checkpoint', { epoch, best, bytes: 5, file: 'checkpoint', path: '/n/checkpoint.pth.tar' }),
  point('checkpoint', { epoch, best, bytes: 1, file: 'rank-state' }),
  point('checkpoint', { epoch, best, bytes: 1, file: 'rank-state' }, 'rank-1'),
];

describe('the checkpoints of a run', () => {
  const [third, second, first] = checkpointsOf([...save(1, true), ...save(2, true), ...save(3, false)]);

  it('are listed newest first, with their accuracy and the files that hold them still', () => {
    expect(third).toMatchObject({ epoch: 3, top1: 30, files: ['checkpoint.pth.tar'] });
    expect(second).toMatchObject({ epoch: 2, top1: 20, files: ['model_best.pth.tar'] });
    expect(first).toMatchObject({ epoch: 1, best: true, files: [] });
    expect(checkpointsOf([])).toEqual([]);
  });

  it('can be gone on from where all ranks still have what belongs to them', () => {
    if (third === undefined || second === undefined) throw new Error('too few');
    expect(canGoOnFrom(third, 'checkpoint.pth.tar', 3)).toBe(true);
    expect(canGoOnFrom(second, 'model_best.pth.tar', 3)).toBe(false);
    expect(canGoOnFrom(second, 'model_best.pth.tar', 1)).toBe(true);
    const [newest] = checkpointsOf(save(1, true));
    if (newest === undefined) throw new Error('none');
    expect(canGoOnFrom(newest, 'model_best.pth.tar', 3)).toBe(true);
  });
});
