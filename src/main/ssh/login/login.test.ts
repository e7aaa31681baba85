import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PromptAnswer } from '../../../shared/contract/prompts.ts';
import { startLoginServer, type LoginServer, type LoginServerOptions } from '../testing/login-server.ts';
import { person, targetOf, testPool, type Person, type TestPool } from '../testing/pool.ts';
import { startSilentGate } from '../testing/silent-gate.ts';
import { startSshd, type Sshd } from '../testing/sshd.ts';
import { parsePrivateKey } from './key-file.ts';
import { createUnlockedKeys } from './unlocked-keys.ts';

let sshd: Sshd;
let folder = '';
const undo: (() => Promise<void>)[] = [];
const poolWith: typeof testPool = async (options) => {
  const made = await testPool(options);
  undo.push(() => made.close());
  return made;
};
const serverWith = async (options: LoginServerOptions): Promise<LoginServer> => {
  const made = await startLoginServer(options);
  undo.push(() => made.stop());
  return made;
};
beforeAll(async () => {
  sshd = await startSshd();
  folder = await mkdtemp(join(tmpdir(), 'ringlab-keys-'));
});
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});
afterAll(async () => {
  await sshd.stop();
  await rm(folder, { recursive: true });
});

/** Accepts every host key; other questions are answered in this order. */
const answering = (...answers: PromptAnswer[]): Person =>
  person((question) => {
    if (question.kind === 'host-key') return { kind: 'accept' };
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`one question too many: ${question.kind}`);
    return answer;
  });
const secret = (text: string, remember = false): PromptAnswer => ({ kind: 'secret', secret: text, remember });
const kinds = (test: TestPool): string[] =>
  test.person.questions.map(({ kind }) => kind).filter((kind) => kind !== 'host-key');
const byPassword = (server: LoginServer): ReturnType<typeof targetOf> =>
  targetOf(sshd, { port: server.port, user: 'ann', authentication: { method: 'password' } });
const byKey = (keyFile: string): ReturnType<typeof targetOf> =>
  targetOf(sshd, { authentication: { method: 'key', keyFile } });
const lost = async (test: TestPool): Promise<void> => {
  const session = await test.pool.session(byPassword(servers.at(-1)!));
  test.pool.drop('lab', 'node');
  await session.closed;
};
const servers: LoginServer[] = [];

describe('one address behind two jump hosts', () => {
  const serversBehind = async () => {
    const near = await serverWith({ offers: ['password'], password: 'near' });
    const far = await serverWith({ offers: ['password'], password: 'far' });
    const gates = [await startSilentGate(near.port, 2222), await startSilentGate(far.port, 2222)];
    for (const gate of gates) undo.push(() => gate.stop());
    const [first, second] = gates.map(({ hop }, index) => ({
      ...byPassword(near),
      ...{ port: 2222, nodeId: `n${index}`, jump: hop },
    }));
    return { near, far, first: first!, second: second! };
  };

  it('is two machines, each with its host key and password', async () => {
    const { near, far, first, second } = await serversBehind();
    const test = await poolWith({ person: answering(secret('near', true), secret('far', true)) });
    for (const target of [first, second]) await test.pool.session(target);
    expect(test.person.questions.map(({ kind, nodeId }) => `${kind} ${nodeId}`)).toEqual(
      ['n0', 'n1'].flatMap((node) => [`host-key ${node}`, `password ${node}`]),
    );
    expect([near, far].map(({ attempts }) => attempts.map((one) => one.secret))).toEqual([['near'], ['far']]);
    expect([...test.secrets.values.values()]).toEqual(['near', 'far']);
  });

  it('takes over what was stored for the address alone where the key is the same, and only there', async () => {
    const { near, far, first, second } = await serversBehind();
    const stored = `ssh-password:ann@${first.host}:2222`;
    const test = await poolWith({ person: answering(secret('far')) });
    const [type = '', key = ''] = near.hostKey.public.split(' ');
    await test.pool.trust.add({ host: `[${first.host}]:2222`, keyType: type, key, addedAt: 1 });
    test.secrets.values.set(stored, 'near');
    for (const target of [first, second]) await test.pool.session(target);
    expect(test.person.questions.map(({ kind, nodeId }) => `${kind} ${nodeId}`)).toEqual([
      'host-key n1',
      'password n1',
    ]);
    expect(far.attempts.map((one) => one.secret)).toEqual(['far']);
    expect(test.secrets.values.get(stored)).toBe('near');
    expect((await test.pool.trust.list()).map(({ host }) => host)).toEqual([
      `[${first.host}]:2222`,
      expect.stringContaining(' via '),
      expect.stringContaining(' via '),
    ]);
    await test.pool.forgetSecrets(first);
    expect([...test.secrets.values.keys()]).toEqual([stored]);
  });
});

describe('one account on several nodes', () => {
  const nodes = ['n1', 'n2', 'n3'];

  it('is asked for once: host key and password', async () => {
    const server = await serverWith({ offers: ['password'], password: 'right' });
    const test = await poolWith({ person: answering(secret('right')) });
    await Promise.all(nodes.map((nodeId) => test.pool.session({ ...byPassword(server), nodeId })));
    expect(test.person.questions.map(({ kind }) => kind)).toEqual(['host-key', 'password']);
    expect(server.attempts).toHaveLength(3);
  });

  it('fault 08: a wrong password is sent once; the next node asks and reports the wrong one', async () => {
    const server = await serverWith({ offers: ['password'], password: 'right' });
    const test = await poolWith({ person: answering(secret('wrong'), secret('right')) });
    const outcomes = await Promise.allSettled(
      nodes.map((nodeId) => test.pool.session({ ...byPassword(server), nodeId })),
    );
    // The order is not deterministic.
    const statuses = outcomes.map(({ status }) => status);
    expect(statuses.sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(server.attempts.map((attempt) => attempt.secret)).toEqual(['wrong', 'right', 'right']);
    expect(test.person.questions.slice(1)).toMatchObject([
      { kind: 'password' },
      { kind: 'password', again: true },
    ]);
  });

  it('is asked for the next node if the first cancelled its question', async () => {
    const server = await serverWith({ offers: ['password'], password: 'right' });
    // The order is not deterministic.
    const stops = new Map(['n1', 'n2'].map((nodeId) => [nodeId, new AbortController()]));
    let isFirst = true;
    const test = await poolWith({
      person: person(({ kind, nodeId }) => {
        if (kind === 'host-key') return { kind: 'accept' };
        if (!isFirst) return secret('right');
        isFirst = false;
        stops.get(nodeId)!.abort();
        return new Promise(() => undefined);
      }),
    });
    const outcomes = await Promise.allSettled(
      [...stops].map(([nodeId, { signal }]) => test.pool.session({ ...byPassword(server), nodeId }, signal)),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'cancelled' },
    });
  });

  it('an encrypted key is decrypted once, and again where the file changed or the user forgot it', async () => {
    const path = join(folder, 'decrypted');
    const encrypt = (from: string, to: string): void =>
      void execFileSync('ssh-keygen', ['-q', '-p', '-P', from, '-N', to, '-f', path]);
    await copyFile(sshd.keyFile, path);
    await chmod(path, 0o600);
    encrypt('', 'right');
    const parse = vi.spyOn(ssh2.utils, 'parseKey');
    undo.push(() => {
      parse.mockRestore();
      return Promise.resolve();
    });
    /** Decrypting takes a second of computing, in which the app does nothing else. */
    const decrypted = (): number =>
      parse.mock.calls.filter(([, passphrase]) => passphrase !== undefined).length;
    const test = await poolWith({ person: answering(secret('right'), secret('new'), secret('new')) });
    await Promise.all(nodes.map((nodeId) => test.pool.session({ ...byKey(path), nodeId })));
    expect(decrypted()).toBe(1);
    encrypt('right', 'new');
    await test.pool.session({ ...byKey(path), nodeId: 'n4' });
    // The known passphrase is tried first.
    expect(decrypted()).toBe(3);
    await test.pool.forgetSecrets(byKey(path));
    await test.pool.session({ ...byKey(path), nodeId: 'n5' });
    expect(decrypted()).toBe(4);
    expect(kinds(test)).toEqual(['passphrase', 'passphrase', 'passphrase']);
  });

  it('a decrypted key is deleted as the pool closes, and none is kept by a login that has not ended', async () => {
    const unlocked = createUnlockedKeys();
    const key = parsePrivateKey('key', await readFile(sshd.keyFile, 'utf8'));
    unlocked.keep('key', 'digest', key);
    expect(unlocked.get('key', 'digest')).toBe(key);
    unlocked.close();
    expect(unlocked.get('key', 'digest')).toBeUndefined();
    // A login that was under way.
    unlocked.keep('key', 'digest', key);
    expect(unlocked.get('key', 'digest')).toBeUndefined();
  });

  it('a key’s passphrase is asked for once', async () => {
    const path = join(folder, 'shared');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'right', '-f', path]);
    const test = await poolWith({ person: answering(secret('right')) });
    const outcomes = await Promise.allSettled(
      nodes.map((nodeId) => test.pool.session({ ...byKey(path), nodeId })),
    );
    // The server does not know this key.
    expect(outcomes).toMatchObject(nodes.map(() => ({ reason: { code: 'auth_failed' } })));
    expect(kinds(test)).toEqual(['passphrase']);
  });
});

describe('passwords', () => {
  it('fault 08: a wrong password is tried once and reported, and asked for again only the next time', async () => {
    const test = await poolWith({ person: answering(secret('wrong'), secret('also wrong')) });
    const target = targetOf(sshd, { authentication: { method: 'password' } });
    // sshd's monitor writes the line after it has sent the answer.
    const failed = (times: number): Promise<void> =>
      expect.poll(() => sshd.log().match(/Failed password/g)?.length ?? 0).toBe(times);
    await expect(test.pool.session(target)).rejects.toMatchObject({
      code: 'auth_failed',
      params: { host: '127.0.0.1', user: sshd.user, method: 'password' },
      where: 'node 1',
    });
    await failed(1);
    expect(kinds(test)).toEqual(['password']);
    await expect(test.pool.session(target)).rejects.toMatchObject({ code: 'auth_failed' });
    await failed(2);
    expect(kinds(test)).toEqual(['password', 'password']);
  });

  it('fault 08: a wrong stored password is removed', async () => {
    const server = await serverWith({ offers: ['password', 'keyboard-interactive'], password: 'right' });
    const test = await poolWith({ person: answering(secret('right', true)) });
    const key = `ssh-password:ann@127.0.0.1:${server.port}`;
    test.secrets.values.set(key, 'old');
    await expect(test.pool.session(byPassword(server))).rejects.toMatchObject({ code: 'auth_failed' });
    expect(server.attempts).toEqual([{ method: 'password', secret: 'old' }]);
    expect(test.secrets.values.has(key)).toBe(false);
    await test.pool.session(byPassword(server));
    expect(test.secrets.values.get(key)).toBe('right');
  });

  it('a password is asked for once across reconnections, and stored only if requested', async () => {
    const server = await serverWith({ offers: ['password'], password: 'right' });
    servers.push(server);
    const test = await poolWith({ person: answering(secret('right')) });
    await lost(test);
    await lost(test);
    expect(kinds(test)).toEqual(['password']);
    expect(server.attempts).toHaveLength(2);
    expect(test.secrets.values.size).toBe(0);
  });

  it('fault 07: passwords with spaces, quotes, emoji and Chinese are sent unchanged', async () => {
    const password = ` pass word's "密码" 🔑\\n$HOME `;
    const server = await serverWith({ offers: ['password'], password });
    const test = await poolWith({ person: answering(secret(password)) });
    await test.pool.session(byPassword(server));
    expect(server.attempts).toEqual([{ method: 'password', secret: password }]);
  });

  it('the login ends if nobody answers', async () => {
    const server = await serverWith({ offers: ['password'], password: 'right' });
    const test = await poolWith({ person: answering({ kind: 'refuse' }) });
    await expect(test.pool.session(byPassword(server))).rejects.toMatchObject({ code: 'prompt_unanswered' });
    expect(server.attempts).toEqual([]);
  });
});

describe('prompts of the server', () => {
  it('a single password prompt is answered with the password', async () => {
    const rounds = [{ prompts: [{ prompt: 'Password: ', echo: false }], answers: ['right'] }];
    const server = await serverWith({ offers: ['keyboard-interactive'], rounds });
    const test = await poolWith({ person: answering(secret('right', true)) });
    await test.pool.session(byPassword(server));
    expect(kinds(test)).toEqual(['password']);
    expect([...test.secrets.values.values()]).toEqual(['right']);
  });

  it('fault 10: each prompt of a second factor is shown in the server’s words', async () => {
    const rounds = [
      {
        prompts: [
          { prompt: 'Code: ', echo: true },
          { prompt: 'PIN: ', echo: false },
        ],
        answers: ['123456', '0000'],
      },
    ];
    const server = await serverWith({
      offers: ['password'],
      password: 'right',
      then: ['keyboard-interactive'],
      rounds,
    });
    const test = await poolWith({
      person: answering(secret('right'), { kind: 'answers', answers: ['123456', '0000'] }),
    });
    await test.pool.session(byPassword(server));
    expect(test.person.questions.at(-1)).toMatchObject({
      kind: 'interactive',
      title: 'Login',
      instructions: 'Answer, please',
      prompts: [
        { text: 'Code: ', echo: true },
        { text: 'PIN: ', echo: false },
      ],
    });
    expect(kinds(test)).toEqual(['password', 'interactive']);
  });

  describe('where the server offers `password` beside them, in which PAM cannot ask for a second factor', () => {
    const offers = ['password', 'keyboard-interactive'] as const;
    const first = { prompts: [{ prompt: '密码：', echo: false }], answers: ['right'] };
    const second = { prompts: [{ prompt: 'Verification code: ', echo: false }], answers: ['123456'] };

    it('they come first, as in ssh(1), and the password is sent once', async () => {
      const server = await serverWith({ offers, rounds: [first, second] });
      const test = await poolWith({
        person: answering(secret('right', true), { kind: 'answers', answers: ['123456'] }),
      });
      await test.pool.session(byPassword(server));
      expect(kinds(test)).toEqual(['password', 'interactive']);
      expect(server.attempts.map((one) => one.secret)).toEqual(['right', '123456']);
      expect([...test.secrets.values.values()]).toEqual(['right']);
    });

    it('a wrong password is not sent again as `password`', async () => {
      const server = await serverWith({ offers, password: 'right', rounds: [first] });
      const test = await poolWith({ person: answering(secret('wrong')) });
      await expect(test.pool.session(byPassword(server))).rejects.toMatchObject({ code: 'auth_failed' });
      expect(server.attempts).toEqual([{ method: 'keyboard-interactive', secret: 'wrong' }]);
    });

    it('`password` follows where the server has nothing to ask by', async () => {
      const server = await serverWith({ offers, password: 'right' });
      const test = await poolWith({ person: answering(secret('right')) });
      await test.pool.session(byPassword(server));
      expect(server.attempts).toEqual([{ method: 'password', secret: 'right' }]);
    });
  });

  it('fault 10: a wrong code after an accepted password leaves the stored password', async () => {
    const rounds = [{ prompts: [{ prompt: 'Code: ', echo: true }], answers: ['123456'] }];
    const server = await serverWith({
      offers: ['password'],
      password: 'right',
      then: ['keyboard-interactive'],
      rounds,
    });
    servers.push(server);
    const code = (text: string): PromptAnswer => ({ kind: 'answers', answers: [text] });
    const test = await poolWith({ person: answering(secret('right', true), code('123456'), code('9')) });
    await lost(test);
    await expect(test.pool.session(byPassword(server))).rejects.toMatchObject({ code: 'auth_failed' });
    expect([...test.secrets.values.values()]).toEqual(['right']);
  });

  it('fault 10: a wrong code is one failed login', async () => {
    const rounds = [{ prompts: [{ prompt: 'Code: ', echo: true }], answers: ['123456'] }];
    const server = await serverWith({ offers: ['keyboard-interactive'], rounds });
    const test = await poolWith({ person: answering({ kind: 'answers', answers: ['1'] }) });
    await expect(test.pool.session(byPassword(server))).rejects.toMatchObject({
      code: 'auth_failed',
      params: { method: 'keyboard-interactive' },
    });
    expect(server.attempts).toHaveLength(1);
  });
});

describe('a login that is approved elsewhere, on a phone', () => {
  const rounds = [{ prompts: [{ prompt: 'Passcode or option: ', echo: true }], answers: ['1'] }];
  const person = (): Person => answering({ kind: 'answers', answers: ['1'] });

  it('may take longer than an exchange of keys', async () => {
    const handshakeMs = 2000;
    const approved = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, handshakeMs + 500));
    const server = await serverWith({ offers: ['keyboard-interactive'], rounds, approved });
    const test = await poolWith({ person: person(), timing: { handshakeMs } });
    await test.pool.session(byPassword(server));
    expect(kinds(test)).toEqual(['interactive']);
  });

  it('is not waited for without end, and the message says what it may have waited for', async () => {
    const approved = (): Promise<void> => new Promise(() => undefined);
    const server = await serverWith({ offers: ['keyboard-interactive'], rounds, approved });
    const test = await poolWith({ person: person(), timing: { loginMs: 1500 } });
    await expect(test.pool.session(byPassword(server))).rejects.toMatchObject({
      code: 'login_timeout',
      params: { host: sshd.host, port: server.port, seconds: 2 },
    });
  });
});

describe('key files', () => {
  it('fault 11: the passphrase of an encrypted key is asked for once', async () => {
    const path = join(folder, 'encrypted 密钥');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'open sesame', '-f', path]);
    const own = await startSshd({ extraConfig: [`AuthorizedKeysFile "${path}.pub"`] });
    undo.push(() => own.stop());
    const test = await poolWith({ person: answering(secret('open sesame')) });
    const target = targetOf(own, { authentication: { method: 'key', keyFile: path } });
    const session = await test.pool.session(target);
    expect(test.person.questions.at(-1)).toMatchObject({ kind: 'passphrase', keyFile: path });
    test.pool.drop('lab', 'node');
    await session.closed;
    await test.pool.session(target);
    expect(kinds(test)).toEqual(['passphrase']);
  });

  it('a wrong passphrase is reported and asked for again', async () => {
    const path = join(folder, 'mistyped');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'right', '-f', path]);
    const connections = (): number => sshd.log().match(/Connection from/g)?.length ?? 0;
    const test = await poolWith({ person: answering(secret('wrong'), secret('right')) });
    const before = connections();
    await expect(test.pool.session(byKey(path))).rejects.toMatchObject({ code: 'auth_failed' });
    expect(connections() - before).toBe(1);
    expect(test.person.questions.slice(1)).toMatchObject([
      { kind: 'passphrase', keyFile: path },
      { kind: 'passphrase', keyFile: path, again: true },
    ]);
  });

  it.each([
    ['RSA', ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'], false],
    ['RSA, encrypted', ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'], true],
    ['ECDSA', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'], false],
  ])('a key of openssl genpkey (%s) authenticates', async (name, args, encrypted) => {
    const path = join(folder, `pkcs8 ${name}`);
    const cipher = encrypted ? ['-aes-256-cbc', '-pass', 'pass:right'] : [];
    execFileSync('openssl', ['genpkey', ...args, ...cipher, '-out', path], { stdio: 'pipe' });
    await chmod(path, 0o600);
    const publicKey = execFileSync('ssh-keygen', ['-y', '-P', encrypted ? 'right' : '', '-f', path]);
    await writeFile(`${path}.pub`, publicKey);
    const own = await startSshd({ extraConfig: [`AuthorizedKeysFile "${path}.pub"`] });
    undo.push(() => own.stop());
    const test = await poolWith({ person: answering(secret('wrong'), secret('right')) });
    await test.pool.session(targetOf(own, { authentication: { method: 'key', keyFile: path } }));
    expect(kinds(test)).toEqual(encrypted ? ['passphrase', 'passphrase'] : []);
  });

  it('a key whose cipher also checks the content asks again after a wrong passphrase', async () => {
    const path = join(folder, 'gcm');
    execFileSync('ssh-keygen', [
      '-q',
      '-t',
      'ed25519',
      '-Z',
      'aes256-gcm@openssh.com',
      '-N',
      'right',
      '-f',
      path,
    ]);
    const test = await poolWith({ person: answering(secret('wrong'), secret('right')) });
    await expect(test.pool.session(byKey(path))).rejects.toMatchObject({ code: 'auth_failed' });
    expect(kinds(test)).toEqual(['passphrase', 'passphrase']);
  });

  it('fault 11: a wrong passphrase is reported, and nothing is sent', async () => {
    const path = join(folder, 'locked');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'right', '-f', path]);
    const test = await poolWith({ person: answering(secret('wrong', true), secret('worse'), secret('no')) });
    await expect(test.pool.session(byKey(path))).rejects.toMatchObject({
      code: 'key_passphrase',
      params: { path },
    });
    expect(test.secrets.values.size).toBe(0);
  });

  it.each([
    ['is not there', undefined, 'it does not exist'],
    ['is empty', '', 'it is empty'],
    ['is a public key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI me\n', 'public key'],
    ['is no key', 'hello\n', 'Unsupported key format'],
    [
      'is cut short',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n',
      '',
    ],
    [
      'is Ed25519 in PKCS#8',
      '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n',
      'PKCS#8',
    ],
    ['is a new PuTTY key', 'PuTTY-User-Key-File-3: ssh-ed25519\n', 'version 3'],
  ])('fault 11: an error is reported for a key file that %s', async (what, content, reason) => {
    const path = join(folder, what.replaceAll(' ', '-'));
    if (content !== undefined) await writeFile(path, content);
    const test = await poolWith();
    await expect(test.pool.session(byKey(path))).rejects.toMatchObject({
      code: 'key_unreadable',
      params: { path, reason: expect.stringContaining(reason) as unknown },
    });
    expect(test.person.questions).toEqual([]);
  });

  it.each([
    ['rsa', ['-t', 'rsa', '-b', '2048']],
    ['rsa in PEM', ['-t', 'rsa', '-b', '2048', '-m', 'PEM']],
    ['ecdsa', ['-t', 'ecdsa']],
  ])('a key of the kind %s authenticates', async (name, args) => {
    const path = join(folder, name.replaceAll(' ', '-'));
    execFileSync('ssh-keygen', ['-q', '-N', '', '-f', path, ...args]);
    const own = await startSshd({ extraConfig: [`AuthorizedKeysFile "${path}.pub"`] });
    undo.push(() => own.stop());
    const test = await poolWith();
    await test.pool.session(targetOf(own, { authentication: { method: 'key', keyFile: path } }));
  });

  it('a refused key is reported', async () => {
    const path = join(folder, 'stranger');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
    const test = await poolWith();
    await expect(test.pool.session(byKey(path))).rejects.toMatchObject({
      code: 'auth_failed',
      params: { method: 'key' },
    });
  });

  it('the server’s accepted methods are reported if they differ', async () => {
    const server = await serverWith({ offers: ['password'], password: 'right' });
    const test = await poolWith();
    await expect(test.pool.session(targetOf(sshd, { port: server.port }))).rejects.toMatchObject({
      code: 'auth_no_method',
      params: { accepted: 'password', method: 'key' },
    });
    expect(server.attempts).toEqual([]);
  });
});

describe('the agent', () => {
  let agent: ChildProcess;
  let socket = '';
  const withKeys = (...paths: string[]): void => {
    const env = { ...process.env, SSH_AUTH_SOCK: socket };
    execFileSync('ssh-add', ['-q', '-D'], { env, stdio: 'ignore' });
    if (paths.length > 0) execFileSync('ssh-add', ['-q', ...paths], { env, stdio: 'ignore' });
  };
  const byAgent = (): ReturnType<typeof targetOf> => targetOf(sshd, { authentication: { method: 'agent' } });
  beforeAll(async () => {
    socket = join(folder, 'agent.sock');
    agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    // It prints its address once it listens.
    await new Promise((resolve) => agent.stdout?.once('data', resolve));
  });
  afterAll(() => {
    agent.kill();
  });

  it('authenticates the user', async () => {
    withKeys(sshd.keyFile);
    const test = await poolWith({ agentSocket: socket });
    await test.pool.session(byAgent());
  });

  it('of another socket, which the login names, authenticates the user where none runs by default', async () => {
    withKeys(sshd.keyFile);
    const test = await poolWith({ agentSocket: undefined });
    await test.pool.session(targetOf(sshd, { authentication: { method: 'agent', socket } }));
  });

  it('fault 09: is reported as missing, empty or gone', async () => {
    withKeys();
    const none = join(folder, 'none.sock');
    for (const [agentSocket, code, params] of [
      [undefined, 'agent_missing', {}],
      [socket, 'agent_empty', { socket }],
      [none, 'agent_silent', { socket: none }],
    ] as const) {
      const test = await poolWith({ agentSocket });
      await expect(test.pool.session(byAgent())).rejects.toMatchObject({ code, params });
      expect(test.states.at(-1)?.state).toBe('refused');
    }
  });

  it('fault 09: asks to choose a key if it has more keys than the server will try', async () => {
    const keys = Array.from({ length: 7 }, (_, index) => join(folder, `many-${index}`));
    for (const path of keys) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
    withKeys(...keys);
    const test = await poolWith({ agentSocket: socket });
    await expect(test.pool.session(byAgent())).rejects.toMatchObject({ code: 'auth_too_many' });
  });
});
