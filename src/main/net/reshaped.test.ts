import { expect, test } from 'vitest';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { planNetwork } from './plan.ts';
import { withDeletedLinks } from './reshaped.ts';
import { drawn } from './testing/lab.ts';

test('a deleted link of the network keeps its last shape; one that was never raised, or is drawn again, does not', () => {
  const lab = drawn('lab', ['a', 'b', 'c'], ['a-b', 'b-c']);
  const { links } = planNetwork(lab, 'cafecafe');
  const rates = ({ links: all }: LabDocument): string[] =>
    all.map(({ id, bandwidthMbps }) => `${id} ${bandwidthMbps}`);
  const edited = drawn('lab', ['a', 'b', 'c'], ['a-b@20', 'b-c', 'c-a']);
  const cut = drawn('lab', ['a', 'b', 'c'], ['b-c@30']);
  const first = withDeletedLinks(withDeletedLinks(lab, edited, links), cut, links);
  expect(rates(first)).toEqual(['l-b-c 30', 'l-a-b 20']);
  expect(rates(withDeletedLinks(first, cut, links))).toEqual(rates(first));
  expect(rates(withDeletedLinks(first, lab, links))).toEqual(['l-a-b 10', 'l-b-c 10']);
});
