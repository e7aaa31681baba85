import { describe, expect, it } from 'vitest';
import { estimate, isProblem } from './estimate.ts';
import { sitesStep } from './sites.ts';
import { chain, star } from '../lab/topology.fixture.ts';

const bits = { inside: 0.145, between: 0.145 };
const stream = 'local:1,stream=0.145,overlap=1';

function estimated(lab: ReturnType<typeof chain>, sync: string, seconds: number, train = 12_096) {
  const drawn = {
    ...lab,
    experiment: {
      ...lab.experiment,
      architecture: 'resnet18',
      batchSize: 96,
      data: { type: 'shapes' as const, train, validation: 1000, size: 32, seed: 1 },
    },
  };
  const measured = { seconds, runId: 'r', runName: 'r' };
  const found = estimate({ lab: drawn, measured, localCpus: 3 }, sync);
  if (isProblem(found)) throw new Error(found.code);
  return found;
}

describe('a streamed average over many nodes, by paper', () => {
  // docs/slow-links.md, 'Streamed averages': three nodes in a chain of 10 Mbps, 23 November 2026.
  it('agrees with what three nodes sent and took', () => {
    const sentByEpoch = 34.2e6;
    const flat = sitesStep(
      { sites: 3, nodesEach: 1, insideMbps: 10, betweenMbps: 10 },
      'resnet18',
      10,
      bits,
      0.355,
    );
    expect((flat?.bytesBetween ?? 0) / (sentByEpoch / 126)).toBeGreaterThan(0.98);
    expect((flat?.bytesBetween ?? 0) / (sentByEpoch / 126)).toBeLessThan(1.02);
    // Unshaped, a step took 0.440 s / 1.24; over the links 0.440 s, while other work ran beside it.
    const there = estimated(chain(3, 10), stream, 0.44 / 1.24);
    expect(0.44 / there.secondsPerStep).toBeGreaterThan(0.85);
    expect(0.44 / there.secondsPerStep).toBeLessThan(1.2);
    const plain = estimated(chain(3, 10), 'allreduce', 0.44 / 1.24);
    expect(51.2 / plain.secondsPerStep).toBeGreaterThan(0.9);
    expect(51.2 / plain.secondsPerStep).toBeLessThan(1.1);
  });

  it('is the estimate of a drawn star where every site is one node', () => {
    for (const [nodes, mbps] of [
      [3, 10],
      [8, 100],
      [32, 10],
    ] as const) {
      const drawn = estimated(star(nodes, mbps), stream, 0.1);
      const paper = sitesStep(
        { sites: nodes, nodesEach: 1, insideMbps: 1, betweenMbps: mbps },
        'resnet18',
        10,
        bits,
        0.1,
      );
      // In the drawing a rank shares its core with others, and one of the nodes is the star's centre.
      expect(
        (paper?.betweenSeconds ?? 0) / (drawn.bottleneck?.seconds ?? paper?.betweenSeconds ?? 0),
      ).toBeCloseTo(1, 0);
      expect(paper?.bytesBetween ?? 0).toBeCloseTo(
        drawn.bytesPerStep - (nodes - 1) * (nodes <= 64 ? 8 : 16 / nodes),
        -1,
      );
    }
  });

  it('hides 64 and 1,000 nodes over 100 Mbps behind a step, if they average inside their sites first', () => {
    const step = (sites: number, nodesEach: number) =>
      sitesStep(
        { sites, nodesEach, insideMbps: 1000, betweenMbps: 100 },
        'resnet18',
        10,
        { inside: 1, between: 0.156 },
        0.27,
      )!;
    for (const [sites, nodesEach] of [
      [8, 8],
      [40, 25],
    ] as const) {
      const found = step(sites, nodesEach);
      expect(found.insideSeconds + found.betweenSeconds).toBeLessThan(0.27);
      expect(found.secondsPerStep).toBeLessThan(1.5 * 0.27);
    }
    // Flat, every node exchanges with 999 others: headers leave little for values, and the turns take a CPU's time.
    expect(step(64, 1).valueShare).toBeGreaterThan(0.9);
    expect(step(1000, 1).valueShare).toBeLessThan(0.35);
    expect(step(40, 25).valueShare).toBeGreaterThan(0.95);
    expect(step(1000, 1).workSeconds).toBeGreaterThan(1.5 * step(40, 25).workSeconds);
    expect(
      sitesStep({ sites: 2, nodesEach: 1, insideMbps: 1, betweenMbps: 1 }, 'resnet17', 10, bits, 1),
    ).toBeUndefined();
  });
});
