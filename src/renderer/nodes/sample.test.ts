import { describe, expect, it } from 'vitest';
import type { MetricLine } from '../../shared/metrics/metrics.ts';
import { readSample } from './sample.ts';

const line = (more: Record<string, unknown>): MetricLine => ({
  v: 1,
  seq: 3,
  t: 10,
  kind: 'sample',
  cpu_percent: 12,
  cpus: 8,
  network: [],
  processes: [],
  gpus: [],
  ...more,
});

describe('a sample', () => {
  it('is parsed without missing values: a GPU without power, temperature and clock', () => {
    const sample = readSample(
      line({ gpus: [{ index: 0, uuid: 'x', name: 'T4', utilization_percent: 50, memory_used_bytes: 1 }] }),
    );
    expect(sample).toMatchObject({ cpu: 12, diskFree: undefined, memoryUsed: undefined });
    expect(sample?.gpus).toHaveLength(1);
    expect(sample?.gpus[0]).toMatchObject({ utilisation: 50, watts: undefined, processes: [] });
  });

  it('has each GPU’s clock and processes, and skips invalid values', () => {
    const sample = readSample(
      line({
        cpu_percent: 'NaN',
        gpus: [
          {
            index: 1,
            name: 'A',
            sm_clock_mhz: 1410,
            temperature_celsius: 'hot',
            processes: [{ pid: 7, memory_bytes: 5 }, { pid: 'x' }, { pid: 8, memory_bytes: 0 }],
          },
          { name: 'no index' },
        ],
      }),
    );
    expect(sample?.cpu).toBeUndefined();
    expect(sample?.gpus).toHaveLength(1);
    expect(sample?.gpus[0]).toMatchObject({
      megahertz: 1410,
      celsius: undefined,
      processes: [
        { pid: 7, memory: 5 },
        { pid: 8, memory: undefined },
      ],
    });
  });
});
