import { describe, expect, it } from 'vitest';
import type { Point } from '../../../shared/metrics/metrics.ts';
import { checkpointsOf, lastingFile } from './checkpoint-list.ts';

let seq = 0;
const point = (kind: string, fields: Record<string, unknown>, source = 'rank-0'): Point => ({
  source,
  line: { v: 1, seq: (seq += 1), t: seq, kind, ...fields },
});
const save = (epoch: number, best: boolean, kept?: string): Point[] => [
  point('eval', { epoch: epoch - 1, top1: 10 * epoch }),
  point('checkpoint', {
    epoch,
    best,
    bytes: 5,
    file: 'checkpoint',
    path: '/n/checkpoint.pth.tar',
    ...(kept === undefined ? {} : { kept }),
  }),
  point('checkpoint', { epoch, best, bytes: 1, file: 'rank-state' }),
  point('checkpoint', { epoch, best, bytes: 1, file: 'rank-state' }, 'rank-1'),
];

describe('the checkpoints of a run', () => {
  const [third, second, first] = checkpointsOf([...save(1, true), ...save(2, true), ...save(3, false)]);

  it('are listed newest first, with their accuracy and the files that still contain them', () => {
    expect(third).toMatchObject({ epoch: 3, top1: 30, files: ['checkpoint.pth.tar'] });
    expect(second).toMatchObject({ epoch: 2, top1: 20, files: ['model_best.pth.tar'] });
    expect(first).toMatchObject({ epoch: 1, best: true, files: [] });
    expect(checkpointsOf([])).toEqual([]);
  });

  it('that are kept stay, even if training reached their epoch twice; other file names are ignored', () => {
    const kept = 'checkpoint-epoch-2.pth.tar';
    const list = checkpointsOf([
      ...save(1, true, '../secret'),
      ...save(2, false, kept),
      ...save(2, false, kept),
      ...save(3, true),
    ]);
    expect(list.map(({ epoch, files }) => [epoch, files])).toEqual([
      [3, ['model_best.pth.tar', 'checkpoint.pth.tar']],
      [2, [kept]],
      [2, []],
      [1, []],
    ]);
  });

  it('of ranks that saved one after another are one list: each file is where it was saved last', () => {
    const lines = (rank: number, epoch: number, best: boolean): Point[] =>
      save(epoch, best).map((one) => (one.source === 'rank-0' ? { ...one, source: `rank-${rank}` } : one));
    // As they are asked for: rank 1 saved while rank 0 was lost, and rank 0 again when it was back.
    const [first, taken, again] = [lines(0, 1, true), lines(1, 2, true), lines(0, 3, false)];
    const list = checkpointsOf([...first, ...again, ...taken]);
    expect(list.map(({ rank, epoch, top1, files }) => [rank, epoch, top1, files])).toEqual([
      [0, 3, 30, ['checkpoint.pth.tar']],
      [1, 2, 20, ['model_best.pth.tar']],
      [0, 1, 10, []],
    ]);
  });

  it('can start a run: of an active run only those that no later save replaces', () => {
    const [newest, older] = checkpointsOf([
      ...save(4, false, 'checkpoint-epoch-4.pth.tar'),
      ...save(5, true),
    ]);
    if (newest === undefined || older === undefined) throw new Error('too few');
    expect(lastingFile(newest, true)).toBe('model_best.pth.tar');
    expect(lastingFile(newest, false)).toBeUndefined();
    expect(lastingFile(older, false)).toBe('checkpoint-epoch-4.pth.tar');
  });
});
