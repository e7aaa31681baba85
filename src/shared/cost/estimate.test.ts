import { describe, expect, it } from 'vitest';
import { advise, maxBits, resolveSync, type Advice } from './auto-sync.ts';
import { estimate, isProblem, type Estimate, type EstimateInput } from './estimate.ts';
import type { Experiment, LabDocument } from '../lab/lab.ts';
import { chain, drawing, ring, star } from '../lab/topology.fixture.ts';
import { fastest } from '../testing/fastest.ts';

const withExperiment = (lab: LabDocument, change: Partial<Experiment>): LabDocument => ({
  ...lab,
  experiment: { ...lab.experiment, ...change },
});
const measured = (seconds: number) => ({ seconds, runId: 'r', runName: 'Run' });
const costs = (
  lab: LabDocument,
  sync: string,
  seconds = 0.15,
  more: Partial<EstimateInput> = {},
): Estimate => {
  const found = estimate({ lab, measured: measured(seconds), ...more }, sync);
  if (isProblem(found)) throw new Error(JSON.stringify(found));
  return found;
};
const advice = (lab: LabDocument, seconds = 0.15): Advice => {
  const found = advise({ lab, measured: measured(seconds) });
  if ('code' in found) throw new Error(JSON.stringify(found));
  return found;
};
/** ImageNet's classes, for comparison with published figures. */
const imagenet = { data: { type: 'folder', path: '/data', size: 32 } } as const;

describe('the estimate', () => {
  it('counts no link that a cycle of switches does not use', () => {
    const links = [
      [1, 3, 100],
      [2, 4, 100],
      [4, 5, 100],
      [5, 3, 100],
    ] as const;
    const kinds = ['cpu', 'cpu', 'switch', 'switch', 'switch'] as const;
    const { secondsPerStep } = costs(drawing(5, [...links, [3, 4, 1]], kinds), 'allreduce');
    expect(secondsPerStep).toBeCloseTo(costs(drawing(5, links, kinds), 'allreduce').secondsPerStep, 9);
  });

  it('is 55 s a step for a chain of 10 Mbps, 0.5 s with PowerSGD of rank 2', () => {
    const lab = withExperiment(chain(3), imagenet);
    const plain = costs(lab, 'allreduce');
    expect(plain.secondsPerStep).toBeGreaterThan(52);
    expect(plain.secondsPerStep).toBeLessThan(59);
    expect(plain.bytesPerStep / 1e6).toBeCloseTo(62.3, 1);
    expect(plain.computeSeconds).toBe(0.15);
    expect(plain.communicationSeconds).toBeCloseTo(plain.secondsPerStep - 0.15, 9);
    expect(plain.bottleneck?.ends).toEqual(['N1', 'N2']);
    expect(costs(lab, 'powersgd:2').secondsPerStep).toBeCloseTo(0.5, 0);
  });

  it('chooses for fp16 and for batch norm over all ranks a mode that the trainer takes with them', () => {
    const slow = chain(3);
    expect(advice(slow).chosen.sync).toContain('stream=');
    expect(advice(withExperiment(slow, { amp: 'bf16' })).chosen.sync).toContain('stream=');
    expect(advice(withExperiment(slow, { amp: 'fp16' })).chosen.sync).toBe('fp16');
    expect(advice(withExperiment(slow, { syncBatchNorm: true })).chosen.sync).toBe('fp16');
  });

  it('names the slowest link of the ring', () => {
    const lab = drawing(4, [
      [1, 2, 100],
      [2, 3, 20],
      [3, 4, 100],
    ]);
    expect(costs(lab, 'allreduce').bottleneck).toMatchObject({ linkId: 'l2', ends: ['N2', 'N3'] });
  });

  it('does not depend on a slow link outside the ring', () => {
    const lab = ring(4, 100);
    const spoiled = {
      ...lab,
      links: [
        ...lab.links,
        { ...lab.links[0]!, id: 'l9', ends: ['n1', 'n3'] as [string, string], bandwidthMbps: 1 },
      ],
    };
    expect(costs(spoiled, 'allreduce').secondsPerStep).toBeCloseTo(costs(lab, 'allreduce').secondsPerStep, 9);
  });

  it('is compute time only for one rank, and reports unconnected nodes', () => {
    const one = costs(drawing(1, []), 'allreduce');
    expect(one).toMatchObject({ secondsPerStep: 0.15, bytesPerStep: 0, bottleneck: undefined });
    expect(costs(drawing(3, []), 'allreduce').assumptions).toContain('network_not_drawn');
    const cosmetic = costs(chain(3), 'allreduce', 0.15, { linksAreReal: false });
    expect(cosmetic).toMatchObject({ bottleneck: undefined, assumptions: ['links_not_emulated'] });
    expect(cosmetic.secondsPerStep).toBeLessThan(0.3);
  });

  it('hides communication behind backward, but never the last bucket', () => {
    const lab = withExperiment(chain(3, 1000), imagenet);
    const slowCompute = costs(lab, 'allreduce', 30);
    expect(slowCompute.communicationSeconds).toBeGreaterThan(0.05);
    expect(slowCompute.communicationSeconds).toBeLessThan(0.35);
    // One step late, all of the transfer overlaps computation; encoding and decoding do not.
    const late = costs(lab, 'powersgd:2,late', 30).communicationSeconds;
    expect(late).toBeCloseTo(
      costs(withExperiment(chain(3, 10_000), imagenet), 'powersgd:2,late', 30).communicationSeconds,
      9,
    );
    expect(late).toBeLessThan(0.3);
  });

  it('counts what is not frozen: with the backbone, the last layer alone, and no backward pass that hides it', () => {
    const lab = withExperiment(chain(3), { architecture: 'resnet50' });
    const head = withExperiment(lab, { freeze: 'backbone' });
    expect(costs(lab, 'allreduce').bytesPerStep / 1e6).toBeCloseTo(125.5, 0);
    // 4/3 of 20,490 numbers, and two flags to each other rank.
    expect(costs(head, 'allreduce').bytesPerStep).toBe(Math.round((4 / 3) * 4 * 20_490 + 2 * 8));
    const found = costs(head, 'allreduce');
    expect(found.communicationSeconds).toBeGreaterThan(0.08);
    expect(found.communicationSeconds).toBeLessThan(0.11);
    expect(costs(head, 'allreduce', 10).communicationSeconds).toBeCloseTo(found.communicationSeconds, 9);
    const assumed = (of: LabDocument): Estimate => {
      const answer = estimate({ lab: of, localCpus: 3 }, 'allreduce');
      if (isProblem(answer)) throw new Error(answer.code);
      return answer;
    };
    expect(assumed(lab).computeSeconds / assumed(head).computeSeconds).toBeGreaterThan(2.5);
    expect(assumed(head).assumptions).not.toContain('frozen_counted');
  });

  it('counts parameters that are frozen by name, and says so', () => {
    const lab = withExperiment(chain(3), { freeze: 'layer1,layer2' });
    const found = costs(lab, 'allreduce');
    expect(found.bytesPerStep).toBe(costs(chain(3), 'allreduce').bytesPerStep);
    expect(found.assumptions).toContain('frozen_counted');
    expect(costs(withExperiment(drawing(1, []), { freeze: 'layer1' }), 'allreduce').assumptions).toEqual([]);
  });

  it('counts what batch norms over all ranks wait for: each of them, in forward and backward', () => {
    const lab = withExperiment(chain(2, 1000), { architecture: 'shufflenet_v2_x0_5', batchSize: 32 });
    const far = { ...lab, links: lab.links.map((link) => ({ ...link, delayMs: 20 })) };
    const shared = (of: LabDocument, change: Partial<Experiment> = {}): Estimate =>
      costs(withExperiment(of, { syncBatchNorm: true, ...change }), 'allreduce', 0.17);
    // 56 norms wait for 3 rounds of twice 20 ms: 6.7 s. Two ranks over such a link took 6.8 s more than without delay.
    const waited = shared(far).communicationSeconds;
    expect(waited).toBeGreaterThan(6.4);
    expect(waited).toBeLessThan(7.2);
    expect(shared(far).bytesPerStep - costs(far, 'allreduce', 0.17).bytesPerStep).toBe(63_840);
    expect(shared(lab).communicationSeconds).toBeLessThan(0.2);
    // Each micro-batch has its norms; backward of frozen layers is not computed, and held norms exchange nothing.
    expect(shared(far, { accumulate: 2 }).communicationSeconds / waited).toBeCloseTo(2, 0);
    expect(shared(far, { freeze: 'backbone' }).communicationSeconds / waited).toBeCloseTo(1 / 3, 1);
    const held = shared(far, { freeze: 'backbone', freezeBatchNorm: true });
    expect(held.bytesPerStep).toBe(
      costs(withExperiment(far, { freeze: 'backbone' }), 'allreduce', 0.17).bytesPerStep,
    );
    expect(shared(drawing(1, [])).communicationSeconds).toBe(0);
  });

  it('hides gradients behind backward of the last micro-batch alone: they are complete there', () => {
    // Two ranks that compute for 1.5 s wait for what 300 Mbps take longer than an eighth of backward.
    const lab = chain(2, 300);
    const waited = (accumulate: number): number =>
      costs(withExperiment(lab, { accumulate }), 'allreduce', 1.5).communicationSeconds;
    const { communicationSeconds: all } = costs(lab, 'allreduce', 0);
    expect(waited(8)).toBeCloseTo(all - (1.5 * (2 / 3)) / 8, 6);
    expect(waited(1)).toBeLessThan(0.5 * all);
    // One step late, the transfer overlaps the whole next step.
    const late = costs(withExperiment(lab, { accumulate: 8 }), 'powersgd:2,late', 1.5);
    expect(late.communicationSeconds).toBe(costs(lab, 'powersgd:2,late', 1.5).communicationSeconds);
  });

  it('divides an exchange by the local steps before it', () => {
    const lab = chain(3);
    const every = costs(lab, 'local:1').communicationSeconds;
    expect(costs(lab, 'local:8').communicationSeconds).toBeCloseTo(every / 8, 6);
    expect(costs(lab, 'local:8').bytesPerStep).toBeCloseTo(costs(lab, 'local:1').bytesPerStep / 8, -2);
  });

  it('includes latency: two messages per neighbour and bucket', () => {
    const near = chain(3, 1000);
    const far = { ...near, links: near.links.map((link) => ({ ...link, delayMs: 50 })) };
    const added = costs(far, 'powersgd:2').secondsPerStep - costs(near, 'powersgd:2').secondsPerStep;
    // N3 to N1 takes 100 ms; three buckets with two exchanges of four messages each, of two delays each.
    expect(added).toBeGreaterThan(4.5);
    expect(added).toBeLessThan(5);
  });

  it('uses the steps and time per epoch of generated data', () => {
    const lab = withExperiment(chain(3), {
      data: { type: 'shapes', train: 1800, validation: 60, size: 32, seed: 1 },
    });
    const found = costs(lab, 'powersgd:2');
    expect(found.stepsPerEpoch).toBe(19);
    expect(found.secondsPerEpoch).toBeCloseTo(19 * found.secondsPerStep, 6);
    expect(costs(withExperiment(lab, imagenet), 'powersgd:2').secondsPerEpoch).toBeUndefined();
  });

  it('assumes a compute time without measurements, and reports it', () => {
    const lab = withExperiment(chain(3), { data: { type: 'folder', path: '/d', size: 224 }, batchSize: 96 });
    const assumed = estimate({ lab, localCpus: 3 }, 'allreduce');
    if (isProblem(assumed)) throw new Error(assumed.code);
    // 32 images at nine a second.
    expect(assumed.computeSeconds).toBeCloseTo(32 / 9, 0);
    expect(assumed.assumptions).toEqual(['compute_assumed', 'classes_assumed']);
    const crowded = estimate({ lab, localCpus: 1 }, 'allreduce');
    if (isProblem(crowded)) throw new Error(crowded.code);
    expect(crowded.computeSeconds).toBeCloseTo(3 * assumed.computeSeconds, 1);
  });

  it('reports why it is not possible', () => {
    expect(estimate({ lab: drawing(0, []) })).toEqual({ code: 'nothing_to_train' });
    expect(estimate({ lab: drawing(3, [[1, 2]]) })).toEqual({ code: 'unreachable', from: 'N1', to: 'N3' });
    expect(estimate({ lab: chain(2) }, 'gossip')).toEqual({ code: 'unknown_sync', sync: 'gossip' });
    expect(estimate({ lab: withExperiment(chain(2), { architecture: 'resnet17' }) })).toEqual({
      code: 'unknown_architecture',
      architecture: 'resnet17',
    });
  });

  it('is fast enough while drawing, even for 500 nodes', () => {
    for (const lab of [star(500), ring(500), chain(8)]) {
      expect(fastest(() => void advice(lab))).toBeLessThan(1000);
    }
  });
});

describe('--sync auto', () => {
  it('stays with plain all-reduce if no mode is faster by more than a tenth', () => {
    for (const lab of [chain(3, 100_000), drawing(3, []), drawing(1, []), chain(3, 1000)]) {
      const found = advice(lab, lab.links[0]?.bandwidthMbps === 1000 ? 60 : 1);
      expect(found.reason).toBe('plain_is_enough');
      expect(found.chosen.sync).toBe('allreduce');
    }
  });

  it('uses a much faster mode on slow links, and the most accurate of equally fast ones', () => {
    const found = advice(chain(3, 10));
    expect(found.reason).toBe('faster');
    expect(found.plain.secondsPerStep / found.chosen.secondsPerStep).toBeGreaterThan(80);
    const at = found.weighed.indexOf(found.chosen);
    const best = Math.min(...found.weighed.map(({ secondsPerStep }) => secondsPerStep));
    expect(found.chosen.secondsPerStep).toBeLessThanOrEqual(1.5 * best);
    for (const better of found.weighed.slice(0, at))
      expect(better.secondsPerStep).toBeGreaterThan(1.1 * best);
  });

  it('never chooses a lossy mode if the plain one is within a tenth, for any lab', () => {
    for (const mbps of [1, 10, 50, 100, 500, 1000, 10_000])
      for (const seconds of [0.01, 0.1, 1, 10, 100])
        for (const lab of [chain(3, mbps), star(4, mbps), ring(8, mbps)]) {
          const { chosen, plain, weighed } = advice(lab, seconds);
          const best = Math.min(...weighed.map(({ secondsPerStep }) => secondsPerStep));
          if (plain.secondsPerStep <= 1.1 * best) expect(chosen.sync).toBe('allreduce');
          else if (chosen !== plain)
            expect(chosen.secondsPerStep).toBeLessThanOrEqual(plain.secondsPerStep / 1.1);
        }
    // A streamed average is faster there, by 2 to 6 % alone.
    for (const [lab, seconds] of [
      [chain(2, 10_000), 0.27],
      [chain(3, 10_000), 0.4],
    ] as const)
      expect(advice(lab, seconds).chosen.sync).toBe('allreduce');
  });

  it('counts that steps during an exchange wait for no flags, and that those of the last one pass it', () => {
    const near = chain(3, 100);
    const lab = { ...near, links: near.links.map((link) => ({ ...link, delayMs: 200 })) };
    const of = (sync: string): number => {
      const found = estimate({ lab, measured: measured(0.27) }, sync);
      if (isProblem(found)) throw new Error(found.code);
      return found.communicationSeconds;
    };
    // Three messages around the chain, each of two delays of 0.4 s between its ends, less a step.
    expect(of('local:1,stream=0.05,overlap=1')).toBeCloseTo(6 * 0.4 - 0.27, 1);
    // Less eight steps nearly nothing is left of them, but the flags' two delays, of which backward hides a part.
    const flags = 2 * 0.4 - 0.18;
    expect(of('local:8,stream=0.05,overlap=8')).toBeCloseTo(flags / 8, 1);
    // Only three steps of the period are without.
    expect(of('local:8,stream=0.05,overlap=4')).toBeGreaterThan((flags * 5) / 8 - 0.01);
  });

  it('waits for slow links and long delays: fewer bits and longer periods cost accuracy', () => {
    const streamed = `local:1,stream=${maxBits},overlap=1,adapt=${maxBits}`;
    for (const mbps of [1, 3, 100])
      for (const delayMs of [0, 50, 200])
        for (const near of [chain(3, mbps), star(8, mbps)]) {
          const lab = { ...near, links: near.links.map((link) => ({ ...link, delayMs })) };
          const { chosen, weighed } = advice(lab, 0.27);
          expect(chosen.sync).toBe(streamed);
          expect(weighed.map(({ sync }) => sync)).toEqual(['allreduce', 'fp16', streamed]);
        }
    expect(advice(chain(3, 1), 0.1).chosen.communicationSeconds).toBeGreaterThan(2);
  });

  it('streams no last layer whose messages would be headers alone', () => {
    const head = (mbps: number, change: Partial<Experiment> = {}): Advice =>
      advice(withExperiment(chain(3, mbps), { freeze: 'backbone', ...change }));
    expect(head(10).weighed.map(({ sync }) => sync)).toEqual(['allreduce', 'fp16']);
    expect(head(100).chosen.sync).toBe('allreduce');
    // A thousand classes of 2048 columns are more than half of a resnet18.
    expect(head(10, { architecture: 'resnet50', ...imagenet }).chosen.sync).toContain('stream=');
  });

  it('hides behind computing from 10 Mbps on, and sends a 200th', () => {
    for (const mbps of [10, 20, 50]) {
      const { chosen, plain } = advice(chain(3, mbps), 0.27);
      expect(chosen.sync).toMatch(/^local:1,/);
      expect(chosen.communicationSeconds).toBeLessThan(0.3 * chosen.computeSeconds);
      expect(plain.bytesPerStep / chosen.bytesPerStep).toBeGreaterThan(200);
    }
  });

  it('sends at most 1/200 of all-reduce’s bytes over any links, with what a run of 1,512 steps sends once', () => {
    expect(maxBits).toBeGreaterThan(0.145);
    for (const mbps of [10, 50, 100]) {
      const { chosen, plain } = advice(chain(3, mbps), 0.27);
      const steps = 1512;
      expect(chosen.atEnd?.bytes).toBeGreaterThan(7e6);
      const all = chosen.bytesPerStep * steps + (chosen.atEnd?.bytes ?? 0);
      expect((plain.bytesPerStep * steps) / all).toBeGreaterThan(200);
    }
  });

  it('replaces auto only: the lab’s own mode stays', () => {
    const lab = chain(3);
    expect(resolveSync({ lab })).toEqual({ sync: 'allreduce' });
    const auto = resolveSync({ lab: withExperiment(lab, { sync: 'auto' }), measured: measured(0.15) });
    expect(auto).toMatchObject({ sync: advice(lab).chosen.sync });
    expect(resolveSync({ lab: withExperiment(drawing(2, [[1, 1]]), { sync: 'auto' }) })).toMatchObject({
      code: 'unreachable',
    });
  });
});
