import { expect, it } from 'vitest';
import { refuseEqualKeys, refuseTooMany, type Member } from './members.ts';

// Only names and keys are read.
const member = (name: string, publicKey: string): Member =>
  ({ at: { node: { name } }, tunnel: { name: 'rlwg0', publicKey } }) as Member;

it('two nodes that report the same key are refused by name, before peers of others are replaced by it', () => {
  refuseEqualKeys([member('anna', 'A'), member('berta', 'B')]);
  expect(() => refuseEqualKeys([member('anna', 'A'), member('berta', 'B'), member('carla', 'B')])).toThrow(
    /tunnel_unavailable reason=berta and carla report the same public key/,
  );
});

it('a node whose address would be outside of the lab’s block is refused, however few are prepared', () => {
  refuseTooMany([{ index: 0 }, { index: 249 }]);
  expect(() => refuseTooMany([{ index: 0 }, { index: 299 }])).toThrow(/more than 250 nodes/);
});
