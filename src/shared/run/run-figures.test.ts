import { describe, expect, it } from 'vitest';
import type { MetricLine } from '../metrics/metrics.ts';
import { against, figuresOf, median } from './run-figures.ts';

const line = (seq: number, fields: Record<string, unknown>): MetricLine => ({
  v: 1,
  seq,
  t: seq,
  kind: 'step',
  ...fields,
});

describe('figures of a run', () => {
  it('are means over steps after warm-up, and count the images of all ranks', () => {
    const figures = figuresOf('r', [
      line(0, { kind: 'start', batch_size: 96 }),
      line(1, { step: 0, step_seconds: 50 }),
      line(2, { step: 1, step_seconds: 50 }),
      line(3, { step: 2, step_seconds: 0.4, data_seconds: 0.1 }),
      line(4, { step: 3, step_seconds: 0.6, data_seconds: 'NaN' }),
      line(5, { step: 4, step_seconds: 0.5, data_seconds: 0.3 }),
    ]);
    expect(figures).toEqual({
      runId: 'r',
      secondsPerStep: 0.5,
      dataSeconds: 0.2,
      imagesPerSecond: 192,
    });
  });

  it('are means over steps after warm-up also of an attempt that goes on from a checkpoint', () => {
    const figures = figuresOf('r', [
      line(0, { kind: 'start', batch_size: 64, start_step: 390 }),
      line(1, { step: 390, step_seconds: 50 }),
      line(2, { step: 391, step_seconds: 50 }),
      line(3, { step: 392, step_seconds: 0.25 }),
    ]);
    expect(figures).toMatchObject({ secondsPerStep: 0.25, imagesPerSecond: 256 });
  });

  it('are of the ranks that are there, where others were lost', () => {
    const figures = figuresOf('r', [
      line(0, { kind: 'start', batch_size: 96 }),
      line(1, { kind: 'membership', step: 3, batch_size: 64 }),
      line(2, { step: 2, step_seconds: 0.6 }),
      line(3, { step: 3, step_seconds: 0.4 }),
      line(4, { step: 4, step_seconds: 0.4 }),
    ]);
    expect(figures).toMatchObject({ secondsPerStep: 0.4, imagesPerSecond: 160 });
  });

  it('divide an exchange over the steps between two exchanges', () => {
    const local = [0.1, 0.1, 0.1, 0.9].map((seconds, index) =>
      line(index, { step: 2 + index, step_seconds: seconds }),
    );
    expect(figuresOf('r', local).secondsPerStep).toBeCloseTo(0.3);
  });

  it('are the mean use of the GPUs that the ranks compute on', () => {
    const sample = (seq: number, percent: number, pids: readonly number[]): MetricLine =>
      line(seq, {
        kind: 'sample',
        cpu_percent: 10 * seq,
        processes: pids.map((pid) => ({ pid })),
        gpus: [
          { index: 0, utilization_percent: percent, memory_used_bytes: 100 * seq, processes: [{ pid: 7 }] },
          { index: 1, utilization_percent: 1, memory_used_bytes: 9e9, processes: [{ pid: 99 }] },
        ],
      });
    expect(figuresOf('r', [], [sample(1, 80, [7]), sample(2, 90, [7]), sample(9, 0, [])])).toEqual({
      runId: 'r',
      gpuPercent: 85,
      gpuMemoryBytes: 200,
      cpuPercent: 15,
    });
  });

  it('are absent without measurements', () => {
    expect(figuresOf('r', [])).toEqual({ runId: 'r' });
    expect(median([Number.NaN])).toBeUndefined();
  });

  it('include speed-up and efficiency against a baseline', () => {
    const of = (imagesPerSecond: number | undefined, worldSize: number) => ({
      figures: { runId: 'r', ...(imagesPerSecond === undefined ? {} : { imagesPerSecond }) },
      worldSize,
    });
    expect(against(of(270, 3), of(100, 1))).toEqual({ speedUp: 2.7, efficiency: 2.7 / 3 });
    expect(against(of(50, 1), of(200, 2))).toEqual({ speedUp: 0.25, efficiency: 0.5 });
    expect(against(of(270, 3), of(undefined, 1))).toBeUndefined();
  });

  it('give no scaling efficiency for equal numbers of ranks', () => {
    const of = (imagesPerSecond: number) => ({ figures: { runId: 'r', imagesPerSecond }, worldSize: 3 });
    expect(against(of(157), of(100))).toEqual({ speedUp: 1.57 });
  });
});
