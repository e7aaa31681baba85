import { expect, it } from 'vitest';
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import type { Reach } from '../../local/index.ts';
import type { SshSession } from '../../ssh/index.ts';
import { movedAddress, parseAddresses, trainingAddress, withMovedAddress } from './moved-address.ts';

const lab: LabDocument = {
  ...emptyLab('lab', 'Lab'),
  nodes: ['a', 'b'].map((id) => ({
    ...{ id, name: id.toUpperCase(), kind: 'cpu' as const, position: { x: 0, y: 0 } },
    ...{ placement: defaultPlacement('cpu'), access: { type: 'local' as const } },
  })),
};
const rank = (number: number, address: string): RankRecord => ({
  ...{ rank: number, nodeId: 'ab'[number] ?? '', nodeName: 'AB'[number] ?? '', localRank: 0 },
  ...{ state: 'failed', argv: ['train', '--address', address], env: {}, directory: '/' },
});
const run = runRecord('r', { lab, ranks: [rank(0, '10.0.0.1'), rank(1, '10.0.0.2')] });

/** Nodes that print these words; without any they do not answer. */
const reachOf = (said: Readonly<Record<string, string>>): { reach: Reach } => {
  const session: Reach['session'] = (_lab, nodeId) => {
    const stdout = said[nodeId];
    if (stdout === undefined)
      return Promise.reject(new RinglabError('host_refused', { host: nodeId, port: 22 }));
    const exec = (): ReturnType<SshSession['exec']> =>
      Promise.resolve({ code: 0, signal: null, stdout, stderr: '' });
    return Promise.resolve({ exec } as Partial<SshSession> as SshSession);
  };
  return { reach: { session } as Partial<Reach> as Reach };
};
const eth = (address: string): string =>
  `1: lo    inet 127.0.0.1/8 scope host lo\n2: eth0    inet ${address}/24 brd 10.0.0.255 scope global eth0\n`;
const { signal } = new AbortController();

it('reads the addresses that ip or hostname print', () => {
  expect(parseAddresses(eth('10.0.0.7'))).toEqual(['127.0.0.1', '10.0.0.7']);
  expect(parseAddresses('10.0.0.7 192.168.1.3 fe80::1 \n')).toEqual(['10.0.0.7', '192.168.1.3']);
  expect(parseAddresses('')).toEqual([]);
});

it('finds the node whose address has changed', async () => {
  const services = reachOf({ a: eth('10.0.0.1'), b: `${eth('10.0.0.7')}3: wlan0 inet 192.168.1.3/24\n` });
  const moved = { nodeName: 'B', before: '10.0.0.2', now: ['10.0.0.7', '192.168.1.3'] };
  expect(await movedAddress(services, run, signal)).toEqual(moved);
});

it('blames no node that has its address, does not answer, or cannot say its addresses', async () => {
  expect(
    await movedAddress(reachOf({ a: eth('10.0.0.1'), b: eth('10.0.0.2') }), run, signal),
  ).toBeUndefined();
  expect(await movedAddress(reachOf({ b: eth('10.0.0.2') }), run, signal)).toBeUndefined();
  expect(await movedAddress(reachOf({ a: '', b: '' }), run, signal)).toBeUndefined();
});

it('asks for no address that cannot change', () => {
  expect(trainingAddress(run, rank(1, '10.0.0.2'))).toBe('10.0.0.2');
  expect(trainingAddress(run, rank(1, '127.0.0.1'))).toBeUndefined();
  expect(trainingAddress(run, { ...rank(1, '10.0.0.2'), enter: 'nsenter' })).toBeUndefined();
});

it('explains broken connections, and no other failure', async () => {
  const services = reachOf({ a: eth('10.0.0.1'), b: eth('10.0.0.7') });
  const lost = toWireError(new RinglabError('peer_lost', { rank: 0, node: 'A', said: '' }));
  const killed = toWireError(new RinglabError('rank_killed', { rank: 0, node: 'A', signal: 'SIGKILL' }));
  const explained = await withMovedAddress(services, run, { error: lost, own: 'peer_lost' }, signal);
  expect(explained).toMatchObject({
    code: 'address_changed',
    params: { before: '10.0.0.2', now: '10.0.0.7' },
  });
  expect(await withMovedAddress(services, run, { error: killed, own: undefined }, signal)).toBe(killed);
});
