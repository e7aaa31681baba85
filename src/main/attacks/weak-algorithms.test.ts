import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterEach, expect, it } from 'vitest';
import { person, targetOf, testPool, type TestPool } from '../ssh/testing/pool.ts';
import { startSshd, type Sshd, type SshdOptions } from '../ssh/testing/sshd.ts';

let undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of undo.reverse()) await one();
  undo = [];
});
const sshdWith = async (options: SshdOptions): Promise<Sshd> => {
  const sshd = await startSshd(options);
  undo.push(() => sshd.stop());
  return sshd;
};
const userWho = async (allows: boolean): Promise<TestPool> => {
  const test = await testPool({
    person: person(({ kind }) => ({ kind: kind === 'weak-algorithms' && !allows ? 'refuse' : 'accept' })),
  });
  undo.push(() => test.close());
  return test;
};
const rsa = ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 });

it.each([
  ['ssh-rsa', { hostKey: rsa, extraConfig: ['HostKeyAlgorithms ssh-rsa'] }],
  ['hmac-sha1', { extraConfig: ['Ciphers aes128-ctr', 'MACs hmac-sha1'] }],
  ['aes256-cbc', { extraConfig: ['Ciphers aes256-cbc,3des-cbc'] }],
  ['3des-cbc', { extraConfig: ['Ciphers 3des-cbc'] }],
  ['diffie-hellman-group14-sha1', { extraConfig: ['KexAlgorithms diffie-hellman-group14-sha1'] }],
  ['diffie-hellman-group1-sha1', { extraConfig: ['KexAlgorithms diffie-hellman-group1-sha1'] }],
] as const)(
  'low finding: %s is used only once the user has allowed it for the host',
  async (name, options) => {
    const sshd = await sshdWith({ ...options, extraConfig: [...options.extraConfig] });
    const refusing = await userWho(false);
    await expect(refusing.pool.session(targetOf(sshd))).rejects.toMatchObject({
      code: 'no_common_algorithm',
      params: {
        theirs: expect.stringContaining(name) as unknown,
        ours: expect.not.stringContaining(name) as unknown,
      },
    });
    expect(refusing.person.questions).toMatchObject([{ kind: 'weak-algorithms', algorithms: [{ name }] }]);
    expect(sshd.log()).not.toContain('Accepted');

    const test = await userWho(true);
    await test.pool.session(targetOf(sshd));
    expect(test.person.questions.map(({ kind }) => kind)).toEqual(['weak-algorithms', 'host-key']);
    // Kept for this host, in this computer's store, and not asked again.
    test.pool.drop('lab', 'node');
    await test.pool.session(targetOf(sshd));
    expect(test.person.questions).toHaveLength(2);
    const kept = JSON.parse(await readFile(join(test.dataFolder, 'known-hosts.json'), 'utf8')) as {
      weak: unknown;
    };
    expect(kept.weak).toMatchObject([{ host: `[127.0.0.1]:${sshd.port}`, algorithms: [name] }]);
    expect(await test.pool.trust.forget(`[127.0.0.1]:${sshd.port}`)).toBe(true);
    expect(await test.pool.trust.listWeak()).toEqual([]);
  },
);

it('low finding: a user’s RSA key signs with SHA-1 only once the user has allowed it for the host', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-weak-'));
  undo.push(() => rm(folder, { recursive: true }));
  const keyFile = join(folder, 'id_rsa');
  await writeFile(keyFile, rsa.private, { mode: 0o600 });
  // A server that does not say which signatures it takes: to ssh2 this means SHA-1.
  const seen: string[] = [];
  const server = new ssh2.Server({ hostKeys: [rsa.private] }, (connection) => {
    connection.on('error', () => undefined);
    const { _protocol: protocol } = connection as unknown as { _protocol: { _kex?: unknown } };
    let current: unknown;
    Object.defineProperty(protocol, '_kex', {
      get: () => current,
      set(kex: object) {
        Object.defineProperty(kex, 'remoteExtInfoEnabled', { get: () => false, set: () => undefined });
        current = kex;
      },
    });
    connection.on('authentication', (context) => {
      if (context.method !== 'publickey') {
        context.reject(['publickey']);
        return;
      }
      seen.push(context.key.algo);
      context.accept();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  undo.push(() => Promise.resolve(server.close()));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const target = {
    ...{ labId: 'lab', nodeId: 'node', nodeName: 'node 1', host: '127.0.0.1', port, user: 'a' },
    authentication: { method: 'key' as const, keyFile },
  };
  const refusing = await userWho(false);
  await expect(refusing.pool.session(target)).rejects.toMatchObject({ code: 'auth_failed' });
  expect(seen).toEqual([]);
  const test = await userWho(true);
  await test.pool.session(target);
  expect(test.person.questions.at(-1)).toMatchObject({
    kind: 'weak-algorithms',
    algorithms: [{ name: 'ssh-rsa (user)' }],
  });
  expect(seen).toContain('ssh-rsa');
});

it('low finding: an algorithm allowed for one host is not offered to another', async () => {
  const weak = await sshdWith({ extraConfig: ['KexAlgorithms diffie-hellman-group14-sha1'] });
  const other = await sshdWith({ extraConfig: ['KexAlgorithms diffie-hellman-group14-sha1'] });
  const test = await userWho(true);
  await test.pool.session(targetOf(weak));
  await test.pool.session(targetOf(other, { nodeId: 'other' }));
  expect(test.person.questions.filter(({ kind }) => kind === 'weak-algorithms')).toHaveLength(2);
});
