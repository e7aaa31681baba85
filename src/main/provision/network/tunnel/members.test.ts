import { expect, it } from 'vitest';
import { refuseEqualKeys, type Member } from './members.ts';

// Only names and keys are read.
const member = (name: string, publicKey: string): Member =>
  ({ at: { node: { name } }, tunnel: { name: 'rlwg0', publicKey } }) as Member;

it('two nodes that report the same key are refused by name, before peers of others are replaced by it', () => {
  refuseEqualKeys([member('anna', 'A'), member('berta', 'B')]);
  expect(() => refuseEqualKeys([member('anna', 'A'), member('berta', 'B'), member('carla', 'B')])).toThrow(
    /tunnel_unavailable reason=berta and carla report the same public key/,
  );
});
