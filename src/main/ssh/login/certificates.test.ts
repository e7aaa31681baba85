import { execFileSync, spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSshd, type KeyPair, type Sshd, type SshdOptions } from '../testing/sshd.ts';
import { person, targetOf, testPool, type TestPool } from '../testing/pool.ts';

let folder: string;
let undo: (() => unknown)[] = [];
const path = (name: string): string => join(folder, name);
const keygen = (...words: string[]): void => {
  execFileSync('ssh-keygen', ['-q', ...words], { stdio: 'ignore' });
};
const makeKey = (name: string, ...kind: string[]): void =>
  keygen('-N', '', '-C', name, '-f', path(name), ...(kind.length > 0 ? kind : ['-t', 'ed25519']));
const publicOf = async (name: string): Promise<string> =>
  (await readFile(path(`${name}.pub`), 'utf8')).split(' ').slice(0, 2).join(' ');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-cert-'));
  makeKey('ca');
  makeKey('other_ca');
});
afterEach(async () => {
  for (const one of undo.reverse()) await one();
  undo = [];
});
afterAll(() => rm(folder, { recursive: true }));

const sshdWith = async (options: SshdOptions): Promise<Sshd> => {
  const sshd = await startSshd(options);
  undo.push(() => sshd.stop());
  return sshd;
};
const poolWith: typeof testPool = async (options) => {
  const test: TestPool = await testPool(options);
  undo.push(() => test.close());
  return test;
};
const kinds = [
  ['ed25519', ['-t', 'ed25519']],
  ['rsa', ['-t', 'rsa', '-b', '2048']],
  ['ecdsa', ['-t', 'ecdsa', '-b', '384']],
] as const;

describe('a user’s certificate', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({
      extraConfig: ['AuthorizedKeysFile none', `TrustedUserCAKeys ${path('ca.pub')}`],
    });
  });
  afterAll(() => sshd.stop());
  const sign = (key: string, principal: string, ...more: string[]): void =>
    keygen('-s', path('ca'), '-I', `${key} of the lab`, '-n', principal, ...more, path(`${key}.pub`));
  const target = (key: string): ReturnType<typeof targetOf> =>
    targetOf(sshd, {
      pinnedHostKey: sshd.hostKeyBase64,
      authentication: { method: 'key', keyFile: path(key) },
    });

  it.each(kinds)('beside a key file authenticates: %s', async (kind, words) => {
    const key = `user_${kind}`;
    makeKey(key, ...words);
    const test = await poolWith();
    await expect(test.pool.session(target(key))).rejects.toMatchObject({ code: 'auth_failed' });
    sign(key, sshd.user);
    const session = await test.pool.session(target(key));
    expect((await session.exec('echo in')).stdout).toBe('in\n');
    expect(sshd.log()).toMatch(new RegExp(`Accepted publickey .*-CERT.*ID ${key} of the lab`));
  });

  it('for another name, or expired, is named in the refusal', async () => {
    makeKey('user_wrong');
    sign('user_wrong', 'somebody-else');
    const test = await poolWith();
    await expect(test.pool.session(target('user_wrong'))).rejects.toMatchObject({
      code: 'auth_failed',
      detail: expect.stringContaining('it is for somebody-else') as unknown,
    });
    makeKey('user_old');
    sign('user_old', sshd.user, '-V', '20200101:20200102');
    await expect(test.pool.session(target('user_old'))).rejects.toMatchObject({
      code: 'auth_failed',
      detail: expect.stringMatching(/“user_old of the lab”.*it expired at 2020-01-0/) as unknown,
    });
    makeKey('user_stray');
    await copyFile(path('user_old-cert.pub'), path('user_stray-cert.pub'));
    await expect(test.pool.session(target('user_stray'))).rejects.toMatchObject({
      detail: expect.stringContaining('not a user’s certificate for this key') as unknown,
    });
  });

  it.each(kinds)('in the agent authenticates: %s', async (kind, words) => {
    const key = `agent_${kind}`;
    makeKey(key, ...words);
    sign(key, sshd.user);
    const socket = path(`${kind}.sock`);
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    undo.push(() => agent.kill());
    await new Promise((resolve) => agent.stdout.once('data', resolve));
    execFileSync('ssh-add', ['-q', path(key)], {
      env: { ...process.env, SSH_AUTH_SOCK: socket },
      stdio: 'ignore',
    });
    const test = await poolWith({ agentSocket: socket });
    const session = await test.pool.session({ ...target(key), authentication: { method: 'agent' } });
    expect((await session.exec('echo in')).stdout).toBe('in\n');
  });
});

describe('a host’s certificate', () => {
  const certified = async (name: string, words: readonly string[], ...sign: string[]): Promise<Sshd> => {
    makeKey(name, ...words);
    keygen('-s', path('ca'), '-I', name, '-h', ...sign, path(`${name}.pub`));
    const hostKey: KeyPair = { private: await readFile(path(name), 'utf8'), public: await publicOf(name) };
    return await sshdWith({
      hostKey,
      extraConfig: [`HostCertificate ${path(`${name}-cert.pub`)}`, 'RekeyLimit 1M'],
    });
  };
  const silent = (): ReturnType<typeof person> =>
    person(({ kind }) => {
      throw new Error(`an unexpected question: ${kind}`);
    });

  it.each(kinds)(
    'is trusted by its authority without a question, also after a rekey: %s',
    async (kind, words) => {
      const sshd = await certified(`host_${kind}`, words, '-n', '127.0.0.1,node.lab');
      const test = await poolWith({ person: silent() });
      await test.writeKnownHosts(`@cert-authority *.lab,127.0.0.* ${await publicOf('ca')}\n`);
      const session = await test.pool.session(targetOf(sshd));
      expect(
        (await session.exec('head -c 3000000 /dev/zero | tr "\\0" x', { maxOutputBytes: 4e6 })).stdout,
      ).toHaveLength(3e6);
      expect(await test.pool.trust.list()).toEqual([]);
    },
  );

  it('works with every key exchange method', async () => {
    for (const method of [
      'diffie-hellman-group-exchange-sha256',
      'diffie-hellman-group14-sha256',
      'ecdh-sha2-nistp256',
    ]) {
      const name = `host_${method}`;
      makeKey(name);
      keygen('-s', path('ca'), '-I', name, '-h', path(`${name}.pub`));
      const hostKey: KeyPair = { private: await readFile(path(name), 'utf8'), public: await publicOf(name) };
      const sshd = await sshdWith({
        hostKey,
        extraConfig: [
          `HostCertificate ${path(`${name}-cert.pub`)}`,
          `KexAlgorithms ${method}`,
          'RekeyLimit 1M',
        ],
      });
      const test = await poolWith({ person: silent() });
      await test.writeKnownHosts(`@cert-authority * ${await publicOf('ca')}\n`);
      const session = await test.pool.session(targetOf(sshd));
      expect((await session.exec('echo in')).stdout).toBe('in\n');
    }
  });

  it('that is expired, for another host, or for a user is refused with the reason', async () => {
    for (const [name, sign, reason] of [
      ['old', ['-V', '20200101:20200102'], 'it expired at 2020'],
      ['elsewhere', ['-n', 'else.lab'], 'it is for else.lab'],
    ] as const) {
      const sshd = await certified(`host_${name}`, [], ...sign);
      const test = await poolWith({ person: silent() });
      const file = await test.writeKnownHosts(`@cert-authority * ${await publicOf('ca')}\n`);
      await expect(test.pool.session(targetOf(sshd))).rejects.toMatchObject({
        code: 'host_certificate_invalid',
        params: { reason: expect.stringContaining(reason) as unknown, place: `${file}:1` },
      });
      // As in OpenSSH, a known key needs no certificate.
      await test.writeKnownHosts(`@cert-authority * ${await publicOf('ca')}\n${sshd.knownHostsLine}\n`);
      await test.pool.session(targetOf(sshd));
    }
  });

  it('of a revoked or unknown authority is not trusted', async () => {
    const sshd = await certified('host_plain', []);
    const revoked = await poolWith({ person: silent() });
    await revoked.writeKnownHosts(
      `@cert-authority * ${await publicOf('ca')}\n@revoked * ${await publicOf('ca')}\n`,
    );
    await expect(revoked.pool.session(targetOf(sshd))).rejects.toMatchObject({ code: 'host_key_revoked' });

    const other = await poolWith();
    await other.writeKnownHosts(`@cert-authority * ${await publicOf('other_ca')}\n`);
    await other.pool.session(targetOf(sshd));
    expect(other.person.questions).toMatchObject([
      { kind: 'host-key', keyType: 'ssh-ed25519', fingerprint: sshd.hostKeyFingerprint },
    ]);
  });
});

it('a rekey does not ask about a new host again', async () => {
  const sshd = await sshdWith({ extraConfig: ['RekeyLimit 1M'] });
  const test = await poolWith();
  const session = await test.pool.session(targetOf(sshd));
  const many = await session.exec('head -c 5000000 /dev/zero | tr "\\0" x', { maxOutputBytes: 6e6 });
  expect(many.stdout).toHaveLength(5e6);
  expect(test.person.questions).toHaveLength(1);
});
