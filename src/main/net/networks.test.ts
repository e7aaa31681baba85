import { expect, test } from 'vitest';
import type { NotEmulated } from '../../shared/node/network.ts';
import type { Ability } from './means.ts';
import { createNetworks } from './networks.ts';
import { drawn } from './testing/lab.ts';

/** A machine that lacks something, until it is given; `tried` counts how often it was looked for. */
function lacking(reason: NotEmulated) {
  const machine = {
    lacks: true,
    tried: 0,
    ability: (): Promise<Ability> => {
      machine.tried += 1;
      if (machine.lacks) return Promise.resolve({ able: false, reason, detail: '' });
      const run = () => Promise.resolve({ code: 0, stdout: '', stderr: '' });
      return Promise.resolve({
        able: true,
        shell: { prefix: [], run },
        means: { tbf: true, htb: true, netem: true },
      });
    },
  };
  const events = { emit: () => undefined };
  return {
    machine,
    networks: createNetworks({ dataFolder: '/nowhere', events, ability: machine.ability }),
  };
}
const lab = drawn('lab', ['a', 'b'], ['a-b']);

test('a program that was installed is found without a restart of the app', async () => {
  const { machine, networks } = lacking('programs');
  expect((await networks.state(lab)).reason).toBe('programs');
  machine.lacks = false;
  const both = await Promise.all([networks.state(lab), networks.state(lab)]);
  expect(both.map(({ reason }) => reason)).toEqual(['not_raised', 'not_raised']);
  expect(machine.tried).toBe(2);
  expect((await networks.changes(lab))?.length).toBeGreaterThan(0);
  expect(machine.tried).toBe(2);
});

test('rights are tried again for a change of the network only', async () => {
  const { machine, networks } = lacking('rights');
  expect((await networks.state(lab)).reason).toBe('rights');
  expect(await networks.changes(lab)).toBeUndefined();
  expect(machine.tried).toBe(2);
  machine.lacks = false;
  expect((await networks.state(lab)).reason).toBe('rights');
  expect(machine.tried).toBe(2);
  expect((await networks.changes(lab))?.length).toBeGreaterThan(0);
  expect((await networks.state(lab)).reason).toBe('not_raised');
});
