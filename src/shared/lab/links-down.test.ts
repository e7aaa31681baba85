import { expect, it } from 'vitest';
import type { LabDocument } from './lab.ts';
import { linkName, separatingLinks } from './links-down.ts';
import { drawing } from './topology.fixture.ts';

const ring = drawing(4, [
  [1, 2],
  [2, 3],
  [3, 4],
  [4, 1],
]);
const [ab = '', bc = '', cd = ''] = ring.links.map(({ id }) => id);
const reroutes: LabDocument = { ...ring, experiment: { ...ring.experiment, onLinkDown: 'reroute' } };
const names = (lab: LabDocument, ...down: string[]): string[] =>
  separatingLinks(lab, new Set(down)).map((link) => linkName(lab, link));

it('every link that is down separates machines where traffic has one way', () => {
  expect(names(ring, ab)).toHaveLength(1);
  expect(names(ring, 'of another lab')).toEqual([]);
});

it('where traffic takes other ways, links do once no way is left', () => {
  expect(names(reroutes, ab)).toEqual([]);
  expect(names(reroutes, ab, bc)).toEqual(names(ring, ab, bc));
  expect(names(reroutes, ab, cd)).toHaveLength(2);
});
