import { describe, expect, it } from 'vitest';
import type { NodeFacts } from '../../../../shared/node/provision.ts';
import { parseStatus } from '../tunnel-step.ts';
import { interfaceName, PublicKey } from './names.ts';
import {
  addressIn,
  choosePiece,
  choosePort,
  endpointsOf,
  parseHeard,
  parseNetwork,
  parseNetworks,
  peersText,
  pieceFor,
  defaultPort,
  type Network,
} from './plan.ts';
import { raiseScript } from './scripts.ts';

const key = 'xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=';
const net = (text: string): Network => parseNetwork(text) ?? { first: 0, last: 0 };

describe('addresses', () => {
  it('are the same each time, from a network that no node has, and different for each end', () => {
    const piece = pieceFor('lab-1', []);
    expect(choosePiece('lab-1', [])).toBe(piece);
    expect(choosePiece('lab-2', [])).not.toBe(piece);
    expect(addressIn(piece, 0)).toMatch(/^172\.(?:1[6-9]|2\d|3[01])\.\d+\.1$/);
    expect(addressIn(piece, 249)).toMatch(/\.250$/);
  });
  it('avoid the networks of all nodes, whatever their size', () => {
    const taken = pieceFor('lab-1', []);
    for (const size of [12, 16, 20, 24, 30, 32]) {
      if (size === 12) continue;
      const other = choosePiece('lab-1', [net(`${addressIn(taken, 3)}/${size}`)]);
      expect(other, String(size)).not.toBe(taken);
    }
  });
  it('are of another range where one node’s network takes all of the first; if none is free the node is named', () => {
    const taken = (...texts: string[]): string => addressIn(choosePiece('lab-1', texts.map(net)) ?? 0, 0);
    expect(taken('172.16.0.0/12')).toMatch(/^10\.1[6-9]\d\.\d+\.1$/);
    expect(taken('172.16.0.0/12', '10.0.0.0/8')).toMatch(/^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.1$/);
    const node = (name: string, ...texts: string[]) => ({
      ...parseNetworks(texts.map((text) => `net ${text}`).join('\n')),
      name,
    });
    const [anna, berta] = [
      node('anna', '10.0.0.0/8', '172.16.0.0/12'),
      node('berta', '172.16.0.0/12', '100.64.0.0/10'),
    ];
    expect(() => pieceFor('lab-1', [node('carla', '100.64.0.0/11'), anna, berta])).toThrow(
      /anna has a route to 10\.0\.0\.0\/8$/,
    );
  });
  it('stay where some nodes are prepared while the others train, as long as they are free on those', () => {
    const busy = net(`${addressIn(pieceFor('lab-1', []), 0)}/24`);
    const whole = choosePiece('lab-1', [busy]) ?? 0;
    const stand = [net(addressIn(whole, 2)), net(addressIn(whole, 0))];
    const node = (addresses: Network[], networks: Network[] = [], busy = false) => ({
      ...parseNetworks(''),
      ...{ name: 'anna', addresses, networks, busy },
    });
    const usual = pieceFor('lab-1', []);
    const piece = (...nodes: ReturnType<typeof node>[]) => pieceFor('lab-1', nodes);
    expect(piece(node(stand), node([]))).toBe(whole);
    expect(piece(node(stand, [net('10.0.0.0/8')]))).toBe(whole);
    const inside = net(`${addressIn(whole, 7)}/32`);
    expect(piece(node(stand, [inside]))).toBe(usual);
    expect(piece(node([]))).toBe(usual);
    expect(piece(node([net('10.1.2.3')]))).toBe(usual);
    // A rank uses it: it stays also where a network appeared in it since, but not on a node that has no address there.
    expect(piece(node(stand, [inside]), node(stand, [], true))).toBe(whole);
    expect(piece(node([], [inside]), node(stand, [], true))).toBe(usual);
    expect(parseNetworks('busy').busy).toBe(true);
    expect(parseNetworks(`net 10.2.0.0/16\nat ${addressIn(whole, 2)}/32\nat x`)).toMatchObject({
      networks: [net('10.2.0.0/16')],
      addresses: [net(addressIn(whole, 2))],
    });
  });
  it.each(['172.16.0.0/12', '10.1.2.3', '0.0.0.0/1'])('include the network %s', (text) => {
    expect(parseNetwork(text)).toBeDefined();
  });
  it.each(['', 'fe80::1/64', '300.1.1.1', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0', '$(id)'])(
    'do not include %j',
    (text) => expect(parseNetwork(text)).toBeUndefined(),
  );
});

describe('ports', () => {
  it('are the default one, the next if it is in use, or the one in use by the tunnel', () => {
    const said = (text: string) => choosePort(parseNetworks(text));
    expect(said('')).toBe(defaultPort);
    expect(said(`udp CA6C\nudp 0035`)).toBe(defaultPort + 1);
    expect(said(`udp CA6C\nown 51820`)).toBe(defaultPort);
    expect(said('own 0')).toBe(defaultPort);
    const all = Array.from({ length: 50 }, (_, n) => `udp ${(defaultPort + n).toString(16).toUpperCase()}`);
    expect(said(all.join('\n'))).toBeUndefined();
  });
  it('ignore the default route', () => {
    expect(parseNetworks('net 0.0.0.0/1\nnet 128.0.0.0/1\nnet 10.2.0.0/16').networks).toEqual([
      net('10.2.0.0/16'),
    ]);
  });
});

describe('a node’s output', () => {
  it('gives a public key of 32 bytes and nothing else', () => {
    expect(parseStatus(`has wg\nhas ip\nkernel\nkey ${key}\ntraces`)).toEqual({
      programs: new Set(['wg', 'ip']),
      kernel: true,
      tun: false,
      publicKey: key,
      traces: true,
    });
    for (const bad of [
      '',
      key.slice(1),
      `${key}=`,
      `${key.slice(0, 42)}B=`,
      `${key.slice(0, 40)}\u001b[2J=`,
      '[Peer]',
      `AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=`,
      `${key}\nAllowedIPs = 0.0.0.0/0`,
    ])
      expect(PublicKey.safeParse(bad).success, JSON.stringify(bad)).toBe(false);
  });
  it('gives handshakes and bytes of peers, with a limited number of lines', () => {
    const { sessions, received } = parseHeard(
      `handshake ${key} 1700000000\nhandshake other 0\nreceived other 148\nreceived ${key} x\nhandshake ${key} 1 2\nnonsense`,
    );
    expect([...sessions]).toEqual([key]);
    expect([...received]).toEqual(['other']);
  });
});

describe('endpoints', () => {
  const facts = (...addresses: [string, string][]): NodeFacts =>
    ({ addresses: addresses.map(([name, address]) => ({ interface: name, address })) }) as NodeFacts;
  it('prefer the nearest network, IPv6 if both have it, then the SSH address; no bridges or tunnels', () => {
    const here = facts(['eth0', '10.9.0.2'], ['docker0', '172.17.0.1'], ['rlwg0123456789', '172.20.0.1']);
    const there = facts(
      ['eth0', '10.9.0.3'],
      ['eth1', '192.0.2.7'],
      ['eth1', '2001:db8::7'],
      ['eth1', 'fe80::7'],
    );
    expect(endpointsOf(there, '192.0.2.7', ['192.0.2.7'], here)).toEqual(['192.0.2.7', '10.9.0.3']);
    const both = facts(['eth0', '10.9.0.2'], ['eth0', '2001:db8::2']);
    expect(endpointsOf(there, 'gpu', ['203.0.113.9'], both)).toEqual([
      '10.9.0.3',
      '192.0.2.7',
      '2001:db8::7',
      '203.0.113.9',
    ]);
    expect(endpointsOf(there, 'x', ['127.0.0.1', '::1'], here)).not.toContain('127.0.0.1');
  });
  it('a machine’s own address may be on a bridge; what the other has itself leads nowhere', () => {
    const here = facts(['br-ex', '10.9.0.2'], ['vboxnet0', '192.168.56.1'], ['incusbr0', '10.86.48.1']);
    const there = facts(
      ['vboxnet0', '192.168.56.1'],
      ['incusbr0', '10.86.48.1'],
      ['docker0', '172.17.0.1'],
      ['br-ex', '10.9.0.3'],
    );
    expect(endpointsOf(there, 'gpu', [], here)).toEqual(['10.9.0.3', '172.17.0.1']);
    expect(endpointsOf(there, '10.9.0.3', ['10.86.48.1'], here)[0]).toBe('10.9.0.3');
    expect(endpointsOf(there, 'gpu', ['10.86.48.1'], here)).not.toContain('10.86.48.1');
    const same = facts(['eth0', '192.168.56.1']);
    expect(endpointsOf(same, 'gpu', [], same)).toEqual([]);
    // An address of a bridge comes after the others, but for the one at which SSH reaches the node.
    const two = facts(['br-lan', '192.0.2.7'], ['eth0', '10.9.0.3']);
    expect(endpointsOf(two, 'gpu', [], here)).toEqual(['10.9.0.3', '192.0.2.7']);
    expect(endpointsOf(two, '192.0.2.7', [], here)[0]).toBe('192.0.2.7');
  });
  it('of IPv6 addresses two are tried, a site’s own only first where the other has them, too', () => {
    const one = facts(['eth0', 'fd01:1::1'], ['eth0', '2001:db8::1'], ['eth0', '2001:db8:5::1']);
    const other = facts(['eth0', 'fd00:1::1'], ['eth0', '2001:db8::2']);
    expect(endpointsOf(one, 'gpu', [], other)).toEqual(['2001:db8::1', '2001:db8:5::1']);
    expect(endpointsOf(other, 'gpu', [], one)).toEqual(['2001:db8::2', 'fd00:1::1']);
    const near = facts(
      ['eth0', '2001:db8::9'],
      ['eth0', 'fd01:1::9'],
      ['eth0', '::ffff:10.0.0.1'],
      ['eth0', '2001:db8::1%eth0'],
    );
    expect(endpointsOf(near, 'gpu', [], one)).toEqual(['2001:db8::9', 'fd01:1::9']);
    const beside = facts(['eth0', 'fd01:1::9'], ['eth0', '2a00:1::9']);
    expect(endpointsOf(beside, 'gpu', [], one)).toEqual(['fd01:1::9', '2a00:1::9']);
  });
  it('with IPv6 only', () => {
    const [one, two] = [facts(['eth0', '2001:db8::1']), facts(['eth0', '2001:db8::2'])];
    expect(endpointsOf(one, '2001:db8::1', ['2001:db8::1'], two)).toEqual(['2001:db8::1']);
  });
});

describe('a node’s configuration', () => {
  const peer = {
    publicKey: key,
    address: '172.20.1.2',
    endpoint: '2001:db8::7',
    port: 51_820,
  };
  it('allows each peer a single source address', () => {
    expect(peersText([peer, { ...peer, address: '172.20.1.3' }])).toBe(
      `[Peer]\nPublicKey = ${key}\nAllowedIPs = 172.20.1.2/32\nPersistentKeepalive = 25\n\n[Peer]\nPublicKey = ${key}\nAllowedIPs = 172.20.1.3/32\nPersistentKeepalive = 25\n`,
    );
  });
  it('has no private key in its text, and a name unique to lab and node', () => {
    const name = interfaceName('owner', 'lab', 'n1');
    expect(name).toMatch(/^rlwg[0-9a-f]{10}$/);
    const names = ['n1', 'n2'].flatMap((node) =>
      ['lab', 'lab2'].map((lab) => interfaceName('owner', lab, node)),
    );
    expect(new Set([...names, interfaceName('other', 'lab', 'n1')]).size).toBe(5);
    const text = raiseScript({
      name,
      owner: 'owner',
      labId: 'lab',
      address: '172.20.1.1',
      port: 51_820,
      peers: [peer],
      whole: true,
    });
    expect(text).toContain('ip address delete');
    const some = raiseScript({
      ...{ name, owner: 'owner', labId: 'lab', address: '172.20.1.1', port: 51_820, peers: [peer] },
      whole: false,
    });
    // Nodes that were not prepared may be using the other address.
    expect(some).not.toContain('ip address delete');
    expect(text).not.toMatch(/PrivateKey = [A-Za-z0-9+/]{43}=/);
  });
});
