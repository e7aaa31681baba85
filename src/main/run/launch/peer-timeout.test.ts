import { expect, it } from 'vitest';
import { newSlurmTarget } from '../../../shared/lab/where.ts';
import { drawing } from '../../../shared/lab/topology.fixture.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { peerTimeout } from './peer-timeout.ts';

/** Three nodes in a chain. */
const chain = (link: Partial<LabDocument['links'][number]>, experiment = {}): LabDocument => {
  const lab = drawing(3, [
    [1, 2],
    [2, 3],
  ]);
  return {
    ...lab,
    links: lab.links.map((one) => ({ ...one, delayMs: 0, lossPercent: 0, ...link })),
    experiment: { ...lab.experiment, ...experiment },
  };
};
const of = (lab: LabDocument): number | undefined => {
  const [first, ...others] = lab.nodes.map(({ id }) => id);
  return peerTimeout(lab, others, first ?? '');
};

it('a peer behind slow or far links is silent for longer before it counts as lost', () => {
  expect(of(chain({ bandwidthMbps: 10 }))).toBeUndefined();
  expect(of(chain({ bandwidthMbps: 1000, delayMs: 50 }))).toBeUndefined();
  // A queue of 1.1 s, and a round trip of 1.2 s over two links.
  expect(of(chain({ bandwidthMbps: 1 }))).toBe(6);
  expect(of(chain({ bandwidthMbps: 100, delayMs: 300 }))).toBe(6);
  expect(of(chain({ bandwidthMbps: 0.1 }))).toBe(34);
});

it('a run whose traffic takes other ways has time for that', () => {
  expect(of(chain({ bandwidthMbps: 1000 }, { onLinkDown: 'reroute' }))).toBe(6);
  expect(of(chain({ bandwidthMbps: 0.1 }, { onLinkDown: 'reroute' }))).toBe(34);
});

it('a run that waits for links waits, and a cluster’s links are not the drawn ones', () => {
  expect(of(chain({ bandwidthMbps: 10 }, { onLinkDown: 'wait' }))).toBe(3600);
  expect(of(chain({ bandwidthMbps: 1 }, { where: newSlurmTarget() }))).toBeUndefined();
  expect(of({ ...chain({}), links: [] })).toBeUndefined();
});
