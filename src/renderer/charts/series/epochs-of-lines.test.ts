import { describe, expect, it } from 'vitest';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { epochsOfLines } from './epochs-of-lines.ts';

let seq = 0;
const line = (t: number, kind: string, fields: Record<string, unknown>): MetricLine => ({
  ...fields,
  v: 1,
  seq: (seq += 1),
  t,
  kind,
});
const start = line(0, 'start', { start_epoch: 0, start_step: 0, steps_per_epoch: 20, next_epoch_steps: 20 });

describe('the steps of a run’s epochs', () => {
  it('are unknown before a rank has started', () => {
    expect(epochsOfLines([])).toBeUndefined();
    expect(epochsOfLines([line(0, 'start', { steps_per_epoch: 0 })])).toBeUndefined();
  });

  it('are equally many where nothing changed, also by a trainer that does not say how many the next one has', () => {
    for (const first of [start, line(0, 'start', { start_epoch: 0, steps_per_epoch: 20 })])
      expect(epochsOfLines([first])?.stepAt(40)).toBe(800);
  });

  it('with fewer ranks are those of the epoch in which one was lost, then those of whole epochs', () => {
    // Lost in the third of 40 epochs: it has 26 steps, each later one 30.
    const lines = [
      ...[start, line(10, 'epoch', { epoch: 0, step: 20 }), line(20, 'epoch', { epoch: 1, step: 40 })],
      line(25, 'membership', { epoch: 2, step: 48, batch: 8, batches: 26, next_epoch_steps: 30 }),
    ];
    const total = 40 + 26 + 37 * 30;
    expect(epochsOfLines(lines)?.stepAt(40)).toBe(total);
    const step = line(26, 'step', { epoch: 2, step: 49, batch: 9, batches: 26 });
    expect(epochsOfLines([...lines, step])?.stepAt(40)).toBe(total);
    const ended = [...lines, line(30, 'epoch', { epoch: 2, step: 66 })];
    expect(epochsOfLines(ended)?.stepAt(40)).toBe(total);
    const next = line(31, 'step', { epoch: 3, step: 66, batch: 0, batches: 30 });
    expect(epochsOfLines([...ended, next])?.stepAt(40)).toBe(total);
  });

  it('are as at first once all are back in mid-epoch, which does not count for later epochs', () => {
    const back = line(40, 'start', {
      ...{ start_epoch: 3, start_step: 75, steps_per_epoch: 25, next_epoch_steps: 20 },
    });
    const lines = [
      ...[start, line(20, 'epoch', { epoch: 1, step: 40 }), line(30, 'epoch', { epoch: 2, step: 66 })],
      ...[line(32, 'step', { epoch: 3, step: 70, batch: 4, batches: 30 }), back],
    ];
    expect(epochsOfLines(lines)?.stepAt(40)).toBe(66 + 25 + 36 * 20);
  });

  it('go on where another run’s ended, which had lost ranks', () => {
    const first = { start_epoch: 5, start_step: 650, steps_per_epoch: 100, next_epoch_steps: 100 };
    // 150 steps more than five even epochs have.
    const atEnd = epochsOfLines([line(0, 'start', first)]);
    expect([atEnd?.epochAt(650), atEnd?.stepAt(6), atEnd?.stepAt(10)]).toEqual([5, 750, 1150]);
    // 50 more could be half an epoch: the first step says where its epoch began.
    const start = line(0, 'start', { ...first, start_step: 550 });
    const step = line(1, 'step', { epoch: 5, step: 553, batch: 3, batches: 100 });
    expect([start.start_step, 650].map((at) => epochsOfLines([start, step])?.epochAt(Number(at)))).toEqual([
      5, 6,
    ]);
    const ended = line(2, 'epoch', { epoch: 5, step: 650 });
    const later = line(3, 'step', { epoch: 6, step: 660, batch: 10, batches: 100 });
    expect(epochsOfLines([start, ended, later])?.epochAt(550)).toBe(5);
  });

  it('go on in mid-epoch of another run, which lost none', () => {
    const start = line(0, 'start', {
      ...{ start_epoch: 5, start_step: 520, steps_per_epoch: 100, next_epoch_steps: 100 },
    });
    const step = line(1, 'step', { epoch: 5, step: 530, batch: 30, batches: 100 });
    for (const lines of [[start], [start, step], [start, line(2, 'epoch', { epoch: 5, step: 600 })]])
      expect(epochsOfLines(lines)?.epochAt(520)).toBe(5.2);
  });
});
