import { describe, expect, it } from 'vitest';
import { processesOf } from './process-order.ts';
import { readSample } from './sample.ts';

const sample = readSample({
  v: 1,
  seq: 0,
  t: 0,
  kind: 'sample',
  processes: [
    { pid: 5, cpu_percent: 40 },
    { pid: 6, cpu_percent: 180 },
  ],
  gpus: [
    {
      index: 0,
      name: 'G',
      processes: [{ pid: 9 }, { pid: 5, memory_bytes: 3e9 }, { pid: 7, memory_bytes: 8e9 }, { pid: 6 }],
    },
  ],
});

describe('processes on a GPU', () => {
  it('are sorted by load, unknown values last', () => {
    if (sample === undefined) throw new Error('the sample could not be read');
    const on = sample.gpus[0]?.processes ?? [];
    expect(processesOf(sample, on, 'memory').map(({ pid }) => pid)).toEqual([7, 5, 6, 9]);
    expect(processesOf(sample, on, 'cpu').map(({ pid, cpu }) => [pid, cpu])).toEqual([
      [6, 180],
      [5, 40],
      [7, undefined],
      [9, undefined],
    ]);
  });
});
