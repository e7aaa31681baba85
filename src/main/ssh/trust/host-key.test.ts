import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { fingerprintOf } from './fingerprint.ts';
import { startLoginServer } from '../testing/login-server.ts';
import { person, targetOf, testPool, type TestPool } from '../testing/pool.ts';
import { keyPair, startSshd, type Sshd } from '../testing/sshd.ts';
import { startTcpProxy } from '../testing/tcp-proxy.ts';

let sshd: Sshd;
let pools: TestPool[] = [];
const poolWith: typeof testPool = async (options) => {
  const made = await testPool(options);
  pools.push(made);
  return made;
};
beforeAll(async () => {
  sshd = await startSshd();
});
afterEach(async () => {
  await Promise.all(pools.map((each) => each.close()));
  pools = [];
});
afterAll(() => sshd.stop());

it('fault 01: an unknown key is confirmed by its fingerprint, and the answer is stored', async () => {
  const test = await poolWith();
  const session = await test.pool.session(targetOf(sshd));
  expect((await session.exec('echo $((6*7))')).stdout).toBe('42\n');
  expect(test.person.questions).toEqual([
    {
      labId: 'lab',
      nodeId: 'node',
      nodeName: 'node 1',
      kind: 'host-key',
      host: '127.0.0.1',
      keyType: 'ssh-ed25519',
      fingerprint: sshd.hostKeyFingerprint,
    },
  ]);
  test.pool.drop('lab', 'node');
  await session.closed;
  await test.pool.session(targetOf(sshd));
  expect(test.person.questions).toHaveLength(1);
  expect(await test.pool.trust.list()).toMatchObject([
    { host: `[127.0.0.1]:${sshd.port}`, key: sshd.hostKeyBase64 },
  ]);
  // The user's own file is never written.
  await expect(readFile(join(test.home, '.ssh', 'known_hosts'))).rejects.toThrow('ENOENT');
});

it('fault 01: no credential is sent before the key was accepted, and none if it is refused', async () => {
  const server = await startLoginServer({ offers: ['password'], password: 'secret' });
  const test = await poolWith({
    person: person((question) => {
      expect(server.attempts).toEqual([]);
      return question.kind === 'host-key'
        ? { kind: 'refuse' }
        : { kind: 'secret', secret: 'secret', remember: true };
    }),
  });
  const target = targetOf(sshd, { port: server.port, authentication: { method: 'password' } });
  await expect(test.pool.session(target)).rejects.toMatchObject({
    code: 'host_key_unknown',
    where: 'node 1',
  });
  expect(test.person.questions.map(({ kind }) => kind)).toEqual(['host-key']);
  expect(server.attempts).toEqual([]);
  expect(await test.pool.trust.list()).toEqual([]);
  expect(test.states.map(({ state }) => state)).toEqual(['connecting', 'refused']);
  await server.stop();
});

it('reconnects if the server disconnected while the user compared the fingerprint', async () => {
  const server = await startLoginServer({ offers: ['password'], password: 'secret' });
  const test = await poolWith({
    person: person(async (question) => {
      if (question.kind === 'password') return { kind: 'secret', secret: 'secret', remember: false };
      await server.hangUp();
      return { kind: 'accept' };
    }),
  });
  const target = targetOf(sshd, { port: server.port, authentication: { method: 'password' } });
  await test.pool.session(target);
  expect(test.person.questions.map(({ kind }) => kind)).toEqual(['host-key', 'password']);
  expect(server.connections()).toBe(2);
  await test.close();
  await server.stop();
});

it('waits for the user as long as sshd does, and reconnects if that was too short', async () => {
  const handshakeMs = 1500;
  const longer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, handshakeMs + 200));
  // As after LoginGraceTime; detecting it takes a moment.
  const hungUp = async (): Promise<void> => {
    sshd.dropConnections();
    await new Promise((resolve) => setTimeout(resolve, 300));
  };
  for (const [thinking, connections] of [
    [longer, 1],
    [hungUp, 2],
  ] as const) {
    const test = await poolWith({
      timing: { handshakeMs },
      person: person(async () => {
        await thinking();
        return { kind: 'accept' };
      }),
    });
    const made = (): number => sshd.log().match(/Connection from/g)?.length ?? 0;
    const before = made();
    await test.pool.session(targetOf(sshd));
    expect(made() - before).toBe(connections);
    expect(test.person.questions).toHaveLength(1);
  }
});

it('a key in known_hosts is trusted without a question, and its type requested from the server', async () => {
  const test = await poolWith();
  await test.writeKnownHosts(`${sshd.knownHostsLine}\n`);
  await test.pool.session(targetOf(sshd));
  expect(test.person.questions).toEqual([]);
  expect(await test.pool.trust.list()).toEqual([]);
});

it('fault 02: a changed key is refused with both fingerprints, before any credential', async () => {
  const other = keyPair();
  const [type = '', base64 = ''] = other.public.split(' ');
  const test = await poolWith();
  const path = await test.writeKnownHosts(`# mine\n[127.0.0.1]:${sshd.port} ${type} ${base64}\n`);
  const attempts = (): number =>
    sshd.log().match(/Accepted publickey|Postponed publickey|Failed/g)?.length ?? 0;
  const before = attempts();
  await expect(test.pool.session(targetOf(sshd))).rejects.toMatchObject({
    code: 'host_key_changed',
    params: {
      known: fingerprintOf(Buffer.from(base64, 'base64')),
      offered: sshd.hostKeyFingerprint,
      place: `${path}:2`,
    },
  });
  expect(attempts()).toBe(before);
  expect(test.person.questions).toEqual([]);
  expect(await readFile(path, 'utf8')).toContain(base64);
  expect(test.states.at(-1)).toMatchObject({ state: 'refused', error: { code: 'host_key_changed' } });
});

it('fault 03: a revoked key is refused without an exception', async () => {
  const test = await poolWith();
  const [, type = '', base64 = ''] = sshd.knownHostsLine.split(' ');
  await test.writeKnownHosts(`${sshd.knownHostsLine}\n@revoked * ${type} ${base64}\n`);
  await expect(test.pool.session(targetOf(sshd))).rejects.toMatchObject({ code: 'host_key_revoked' });
  expect(test.person.questions).toEqual([]);
});

it('fault 04: a damaged line for the host in known_hosts is refused with file and line', async () => {
  const test = await poolWith();
  const path = await test.writeKnownHosts(
    `${sshd.knownHostsLine}\n[127.0.0.1]:${sshd.port} ssh-ed25519 AAAA\n`,
  );
  const connections = (): number => sshd.log().match(/Connection from/g)?.length ?? 0;
  const before = connections();
  await expect(test.pool.session(targetOf(sshd))).rejects.toMatchObject({
    code: 'known_hosts_unreadable',
    params: { path, line: 2 },
  });
  expect(connections()).toBe(before);
});

it('a key of another type than the known one is confirmed with a note, and the known type is requested first', async () => {
  const rsa = ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 }).public;
  const [type = '', base64 = ''] = rsa.split(' ');
  const test = await poolWith();
  const path = await test.writeKnownHosts(
    `other ssh-ed25519 AAAA\n[127.0.0.1]:${sshd.port} ${type} ${base64}\n`,
  );
  await test.pool.session(targetOf(sshd));
  expect(test.person.questions).toMatchObject([
    {
      kind: 'host-key',
      keyType: 'ssh-ed25519',
      knownOther: [{ keyType: 'ssh-rsa', place: `${path}:2` }],
      skippedLines: [{ en: expect.stringContaining(`${path}, line 1: `) as string }],
    },
  ]);
});

it('a pinned key is required', async () => {
  const test = await poolWith();
  await test.pool.session(targetOf(sshd, { pinnedHostKey: sshd.hostKeyBase64 }));
  const [, wrong = ''] = keyPair().public.split(' ');
  await expect(
    test.pool.session(targetOf(sshd, { nodeId: 'other', pinnedHostKey: wrong })),
  ).rejects.toMatchObject({ code: 'host_key_changed' });
  expect(test.person.questions).toEqual([]);
});

it.each(['refuse', 'accept'] as const)(
  'if the server disconnects while its key is checked, the result is: %s',
  async (kind) => {
    const cable = await startTcpProxy(sshd.port);
    const test = await poolWith({
      person: person(async () => {
        if (test.person.questions.length === 1) cable.reset();
        // The connection is closed on this side, too: ssh2 does not get the answer.
        await new Promise((resolve) => setTimeout(resolve, 100));
        return { kind };
      }),
    });
    const login = test.pool.session(targetOf(sshd, { port: cable.port }));
    if (kind === 'refuse') await expect(login).rejects.toMatchObject({ code: 'host_key_unknown' });
    else {
      // With the answer stored, it is retried without another question.
      expect((await (await login).exec('echo in')).stdout).toBe('in\n');
      expect(test.person.questions).toHaveLength(1);
    }
    await cable.stop();
  },
);
