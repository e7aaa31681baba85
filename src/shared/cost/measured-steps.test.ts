import { describe, expect, it } from 'vitest';
import { estimate, isProblem } from './estimate.ts';
import { measuredBatch, measuredCpus, measuredSteps, type MeasuredStep } from './measured-steps.fixture.ts';
import { chain, ring, star } from '../lab/topology.fixture.ts';

const shapes = { chain, ring, star };

function predicted(step: MeasuredStep): { secondsPerStep: number; bytesPerStep: number } {
  const drawn = shapes[step.shape](step.nodes, step.mbps);
  const lab = {
    ...drawn,
    links: drawn.links.map((link) => ({ ...link, delayMs: step.delayMs ?? 0 })),
    experiment: {
      ...drawn.experiment,
      architecture: step.architecture,
      batchSize: measuredBatch * step.nodes,
      sync: step.sync,
    },
  };
  const measured = { seconds: step.computeSeconds, runId: 'unshaped', runName: 'Unshaped' };
  const found = estimate({ lab, measured, localCpus: measuredCpus });
  if (isProblem(found)) throw new Error(found.code);
  return found;
}

describe('the estimate compared with measurements', () => {
  it.each(measuredSteps)(
    '$shape of $nodes, $mbps Mbps, $delayMs ms, $sync, $architecture: within 15 %',
    (step) => {
      const { secondsPerStep, bytesPerStep } = predicted(step);
      expect(secondsPerStep / step.secondsPerStep).toBeGreaterThan(0.85);
      expect(secondsPerStep / step.secondsPerStep).toBeLessThan(1.15);
      // Before flags went directly to each rank, they went around the ring.
      const flags = step.delayMs === undefined ? 8 * (step.nodes - 1) * (1 - 2 / step.nodes) : 0;
      // The trainer counts whole bytes for each collective, and more than the values of what is compressed.
      const exact = step.sync === 'allreduce' || step.sync === 'powersgd:2';
      expect(Math.abs(bytesPerStep - flags - step.bytesPerStep)).toBeLessThan(
        exact ? 32 : 0.2 * step.bytesPerStep,
      );
    },
  );
});
