// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { rankSource } from '../../../shared/metrics/metrics.ts';
import type { NodeSamples } from '../../nodes/index.ts';
import { readSample } from '../../nodes/sample.ts';
import { heatOf } from './rank-heat.ts';
import { whySlow } from './why-slow.ts';

/** GPUs with a process each, of pid 100 and up. @param hot the one that is hot and slow */
function node(name: string, gpus: number, hot: number | undefined, seen = true): NodeSamples {
  const sample = readSample({
    ...{ v: 1, seq: 1, t: 1, kind: 'sample', network: [], processes: [] },
    gpus: Array.from({ length: gpus }, (_, index) => ({
      ...{ index, name, temperature_celsius: 60, sm_clock_mhz: 1980 },
      ...(index === hot ? { temperature_celsius: 89, sm_clock_mhz: 1200 } : {}),
      processes: seen ? [{ pid: 100 + index }] : [],
    })),
  });
  if (sample === undefined) throw new RangeError('no sample');
  return { samples: [sample], noNvml: false, own: undefined, devices: new Map() };
}
const ranksOn = (nodeId: string, from: number, count: number) =>
  Array.from({ length: count }, (_, localRank) => ({ rank: from + localRank, nodeId, localRank }));
/** Each rank has reported its process and its GPU. */
const started = (one: NodeSamples, ranks: ReturnType<typeof ranksOn>): NodeSamples => ({
  ...one,
  devices: new Map(
    ranks.map(({ rank, localRank }) => [
      rankSource(rank),
      { pid: 100 + localRank, first: localRank, count: 1 },
    ]),
  ),
});
const throttled = (heat: ReturnType<typeof heatOf>): unknown[] =>
  whySlow({ ranks: [{ rank: 0, whole: 1, data: 0, compute: 1, waited: 0 }], heat }).flatMap((finding) =>
    finding.code === 'throttled' ? [finding.rank] : [],
  );

describe('a GPU that lowered its clock', () => {
  const [a, b] = [ranksOn('a', 0, 8), ranksOn('b', 8, 8)];

  it('is that of the rank whose process is on it, not that of all ranks of its node', () => {
    const samples = new Map([
      ['a', started(node('G', 8, 5), a)],
      ['b', started(node('G', 8, undefined), b)],
    ]);
    expect(throttled(heatOf([...a, ...b], samples))).toEqual([5]);
  });

  it('is found on one machine by the clocks of the others, where processes are hidden, too', () => {
    expect(throttled(heatOf(a, new Map([['a', started(node('G', 8, 2), a)]])))).toEqual([2]);
    expect(throttled(heatOf(a, new Map([['a', started(node('G', 8, 2, false), a)]])))).toEqual([2]);
  });

  it('is that of the local rank where an own script’s ranks have reported none, and are as many as the GPUs', () => {
    expect(throttled(heatOf(a, new Map([['a', node('G', 8, 3)]])))).toEqual([3]);
    expect(throttled(heatOf(a.slice(0, 4), new Map([['a', node('G', 8, 3)]])))).toEqual([]);
  });
});
