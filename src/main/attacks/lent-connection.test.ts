/** Finding 6: a node that was lent this computer's connection turns it against this computer and its neighbours. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Question } from '../../shared/contract/prompts.ts';
import { noNamespaces } from '../net/testing/lab.ts';
import { createLending } from '../provision/node/lending.ts';
import { createRights, forgetfulMemory } from '../provision/node/rights.ts';
import { createAsker } from '../provision/testing/asker.ts';
import { createHttpProxy, type HttpProxy } from '../transfer/http-proxy.ts';
import { fetchable, kindOfAddress, lendable } from '../transfer/reachable.ts';
import { createLocalShell } from '../ssh/testing/local-shell.ts';

let victim: Server;
let victims = 0;
let proxy: HttpProxy;
let door: Server;
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeEach(async () => {
  victims = 0;
  // On every interface, as databases and notebooks often listen.
  victim = createServer((socket) => {
    victims += 1;
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsecret');
  }).listen(0, '::');
  await once(victim, 'listening');
  proxy = createHttpProxy();
  door = createServer({ allowHalfOpen: true }, (socket) => proxy.serve(socket)).listen(0, '127.0.0.1');
  await once(door, 'listening');
});
afterEach(() => {
  proxy.close();
  door.close();
  victim.close();
  delete process.env.RINGLAB_LOCAL_HOSTS;
});

/** The first line of the answer. */
async function say(request: string): Promise<string> {
  const socket = connect(portOf(door), '127.0.0.1');
  const login = Buffer.from(proxy.login).toString('base64');
  socket.write(`${request}\r\nProxy-Authorization: Basic ${login}\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return first.toString('latin1').split('\r\n')[0] ?? '';
}
const tunnel = (target: string): Promise<string> => say(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}`);
const plain = (target: string): Promise<string> => say(`GET http://${target}/ HTTP/1.1\r\nHost: ${target}`);

const ownAddresses = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .map(({ address }) => address.replace(/%.*/, ''));
const mapped = ownAddresses.filter((one) => !one.includes(':')).map((one) => `::ffff:${one}`);

describe('finding 6: the lent connection', () => {
  it('finding 6: does not reach this computer by any address of its interfaces', async () => {
    const port = portOf(victim);
    const hosts = [
      'localhost',
      '127.0.0.1',
      '0.0.0.0',
      '0x7f000001',
      '2130706433',
      ...ownAddresses,
      ...mapped,
    ];
    for (const host of hosts) {
      const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      expect(`${target} ${await tunnel(target)}`).toBe(`${target} HTTP/1.1 403 Forbidden`);
      expect(`${target} ${await plain(target)}`).toBe(`${target} HTTP/1.1 403 Forbidden`);
    }
    expect(victims).toBe(0);
  });

  it.skipIf(noNamespaces !== undefined)(
    'finding 6: reads the interfaces again for each connection, for instance after a VPN came up',
    async () => {
      const [address, port] = ['198.51.100.91', portOf(victim)];
      execFileSync('ip', ['addr', 'add', `${address}/32`, 'dev', 'lo']);
      try {
        expect(await tunnel(`${address}:${port}`)).toBe('HTTP/1.1 403 Forbidden');
      } finally {
        execFileSync('ip', ['addr', 'del', `${address}/32`, 'dev', 'lo']);
      }
      expect(victims).toBe(0);
    },
  );

  it('finding 6: the user’s list allows neighbours, but never this computer', async () => {
    process.env.RINGLAB_LOCAL_HOSTS = '10.0.0.0/8, 127.0.0.0/8, 0.0.0.0/0, mirror.example';
    expect(await tunnel(`127.0.0.1:${portOf(victim)}`)).toBe('HTTP/1.1 403 Forbidden');
    expect(lendable('10.1.2.3', '10.1.2.3', 3142)).toBe(true);
    expect(lendable('192.168.7.7', 'mirror.example', 80)).toBe(true);
    // A mirror of the user's own, for what this computer fetches itself.
    expect(fetchable('127.0.0.1', '127.0.0.1', 3142)).toBe(true);
    expect(fetchable('169.254.169.254', '169.254.169.254', 80)).toBe(false);
    delete process.env.RINGLAB_LOCAL_HOSTS;
    expect(fetchable('127.0.0.1', '127.0.0.1', 3142)).toBe(false);
    expect(lendable('10.1.2.3', '10.1.2.3', 80)).toBe(false);
  });

  it('finding 6: ports of mail, SSH and file shares on the internet are refused', () => {
    const reached = [22, 25, 80, 139, 443, 445, 465, 587, 3128, 8080].filter((port) =>
      lendable('93.184.216.34', 'example.org', port),
    );
    expect(reached).toEqual([80, 443, 3128, 8080]);
  });

  it('finding 6: a lab that switches lending on needs consent, asked for until given and then remembered', async () => {
    const memory = forgetfulMemory();
    const attempt = async (accept: boolean): Promise<Question[]> => {
      const asker = createAsker(() => ({ kind: accept ? 'accept' : 'refuse' }));
      const rights = createRights({ prompter: asker, memory });
      const shell = createLocalShell({ home: '/nonexistent' });
      const listen = (): never => {
        throw new Error('a port was opened');
      };
      const lending = createLending({
        from: undefined,
        onChange: () => undefined,
        permit: (session) => rights.of(session).allowLending(new AbortController().signal),
      });
      await expect(lending.open({ ...shell, listen })).rejects.toThrow(
        accept ? 'a port was opened' : 'lending_refused',
      );
      return asker.questions;
    };
    expect(await attempt(false)).toMatchObject([{ kind: 'lend' }]);
    expect(await attempt(true)).toMatchObject([{ kind: 'lend' }]);
    // Remembered on this computer: the next life of the app asks no more.
    expect(await attempt(true)).toEqual([]);
  });
});

const none = {};
const interfaces = {
  eth0: [
    {
      address: '203.0.113.9',
      netmask: '255.255.255.0',
      family: 'IPv4' as const,
      mac: '',
      internal: false,
      cidr: '203.0.113.9/24',
    },
    {
      address: '2001:db8:5::9',
      netmask: 'ffff:ffff:ffff:ffff::',
      family: 'IPv6' as const,
      mac: '',
      internal: false,
      cidr: '2001:db8:5::9/64',
      scopeid: 0,
    },
  ],
};

it.each([
  ['8.8.8.8', none, 'public'],
  ['2606:4700::1111', none, 'public'],
  ['64:ff9b::808:808', none, 'public'],
  ['127.9.9.9', none, 'own'],
  ['::1', none, 'own'],
  ['::', none, 'own'],
  ['::ffff:127.0.0.1', none, 'own'],
  ['::ffff:0:127.0.0.1', none, 'own'],
  ['::127.0.0.1', none, 'own'],
  ['64:ff9b::7f00:1', none, 'own'],
  ['64:ff9b::a00:1', none, 'local'],
  ['10.0.0.1', none, 'local'],
  ['::ffff:192.168.1.1', none, 'local'],
  ['100.64.1.1', none, 'local'],
  ['fd12::1', none, 'local'],
  ['169.254.169.254', none, 'never'],
  ['::ffff:169.254.169.254', none, 'never'],
  ['fe80::1', none, 'never'],
  ['fe80::1%eth0', none, 'never'],
  ['ff02::1', none, 'never'],
  ['224.0.0.251', none, 'never'],
  ['255.255.255.255', none, 'never'],
  ['2002:7f00:1::', none, 'never'],
  ['not an address', none, 'never'],
  ['203.0.113.9', interfaces, 'own'],
  ['::ffff:203.0.113.9', interfaces, 'own'],
  ['203.0.113.77', interfaces, 'local'],
  ['203.0.114.77', interfaces, 'public'],
  ['2001:DB8:5:0:0:0:0:9', interfaces, 'own'],
  ['2001:db8:5::77', interfaces, 'local'],
  ['2001:db8:6::77', interfaces, 'public'],
] as const)('finding 6: %s', (address, on, kind) => {
  expect(kindOfAddress(address, on)).toBe(kind);
});
