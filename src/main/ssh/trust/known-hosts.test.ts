import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostTrust } from './host-trust.ts';
import { knownHostName, matchesHost, mayName, parseKnownHosts, readKnownHosts } from './known-hosts.ts';
import { keyPair } from '../testing/sshd.ts';
import { fingerprintOf } from './fingerprint.ts';
import { createTrustStore } from './trust-store.ts';

const partsOf = (text: string): { type: string; base64: string; blob: Buffer } => {
  const [type = '', base64 = ''] = text.split(' ');
  return { type, base64, blob: Buffer.from(base64, 'base64') };
};
const keyOf = (kind: 'rsa'): string => ssh2.utils.generateKeyPairSync(kind, { bits: 2048 }).public;
const one = partsOf(keyPair().public);
const other = partsOf(keyPair().public);
const line = (hosts: string, key = one): string => `${hosts} ${key.type} ${key.base64}`;
const parse = (text: string): ReturnType<typeof parseKnownHosts> =>
  parseKnownHosts('known_hosts', Buffer.from(text));

describe('known_hosts', () => {
  it('reads names, comments, markers, CRLF and a byte order mark', () => {
    const { lines, damaged } = parse(
      `\uFEFF# a comment\r\n\r\n${line('a.example,10.0.0.1')} who@where\r\n@revoked ${line('*')}\r\n@cert-authority ${line('*.example')}\r\n`,
    );
    expect(lines.map(({ line: number, marker, hosts }) => [number, marker, hosts])).toEqual([
      [3, 'key', 'a.example,10.0.0.1'],
      [4, 'revoked', '*'],
      [5, 'cert-authority', '*.example'],
    ]);
    expect(lines[0]?.key.equals(one.blob)).toBe(true);
    expect(damaged).toEqual([]);
  });

  it('skips keys of protocol 1', () => {
    expect(parse('old.example 1024 35 1234567890123\n')).toEqual({ lines: [], damaged: [] });
  });

  it.each([
    ['too few fields', `${line('fine')}\nbroken ssh-ed25519\n`, 2],
    ['a key cut short', `${line('fine').slice(0, -30)}\n`, 1],
    ['a key cut short where base64 has a whole group', `host ssh-ed25519 ${one.base64.slice(0, 48)}\n`, 1],
    ['a key of another type', `host ssh-rsa ${one.base64}\n`, 1],
    ['an unknown marker', `@trusted ${line('host')}\n`, 1],
    ['a damaged hashed name', `|1|abc ssh-ed25519 ${one.base64}\n`, 1],
  ])('finds a line with %s damaged, and reads the others', (_what, text, number) => {
    const { lines, damaged } = parse(`${text}${line('after')}\n`);
    expect(damaged).toMatchObject([{ path: 'known_hosts', line: number }]);
    expect(lines.at(-1)?.hosts).toBe('after');
  });

  it('fault 04: refuses a file that is not text, and reports the place', () => {
    expect(() => parse(Buffer.from(`${line('a')}\n`, 'utf16le').toString('latin1'))).toThrow(
      expect.objectContaining({
        code: 'known_hosts_unreadable',
        params: expect.objectContaining({ path: 'known_hosts', line: 1 }) as unknown,
      }),
    );
  });

  it.each([
    ['node1 ssh-ed25519', 'node1', true],
    ['node1 ssh-ed25519', 'node10', false],
    ['node1,node', 'node10', true],
    ['*.lab ssh-ed25519 AAAA', 'a.lab', true],
    ['*.lab ssh-ed25519 AAAA', 'a.other', false],
    ['|1|abc ssh-ed25519 AAAA', 'node1', false],
  ])('a damaged %s affects %s: %s', (text, name, expected) => {
    expect(parse(text).damaged.map((each) => mayName(each, name))).toEqual([expected]);
  });

  it('fault 04: refuses an unreadable file, and treats a missing one as empty', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ringlab-kh-'));
    await expect(readKnownHosts(folder)).rejects.toMatchObject({
      code: 'known_hosts_unreadable',
      params: { path: folder, line: 0, reason: 'EISDIR' },
    });
    await expect(readKnownHosts(join(folder, 'none'))).resolves.toEqual({ lines: [], damaged: [] });
    await rm(folder, { recursive: true });
  });

  it.each([
    ['node1', 'node1', true],
    ['node1', 'node10', false],
    ['NODE1', 'node1', true],
    ['node?', 'node7', true],
    ['*.example', 'a.b.example', true],
    ['*.example', 'example', false],
    ['a.example', 'axexample', false],
    ['*.example,!bad.example', 'bad.example', false],
    ['!bad.example,*.example', 'good.example', true],
    ['[10.0.0.1]:2222', '[10.0.0.1]:2222', true],
    ['10.0.0.1', '[10.0.0.1]:2222', false],
  ])('matches %s against %s: %s', (hosts, name, expected) => {
    expect(matchesHost(hosts, name)).toBe(expected);
  });

  it('writes addresses as OpenSSH does', () => {
    expect(knownHostName('Node.Example', 22)).toBe('node.example');
    expect(knownHostName('Node.Example', 2222)).toBe('[node.example]:2222');
  });
});

describe('a host hashed by ssh-keygen', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ringlab-kh-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('matches its own name only', async () => {
    const path = join(folder, 'known_hosts');
    await writeFile(path, `${line('node.example')}\n${line('[node.example]:2222', other)}\n`);
    execFileSync('ssh-keygen', ['-H', '-f', path], { stdio: 'ignore' });
    expect(await readFile(path, 'utf8')).not.toContain('node.example');
    const { lines } = await readKnownHosts(path);
    const found = (name: string): string[] =>
      lines.filter(({ hosts }) => matchesHost(hosts, name)).map(({ key }) => key.toString('base64'));
    expect(found('node.example')).toEqual([one.base64]);
    expect(found('[node.example]:2222')).toEqual([other.base64]);
    expect(found('other.example')).toEqual([]);
  });
});

describe('trust', () => {
  let folder = '';
  let systemFile = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ringlab-trust-'));
    systemFile = join(folder, 'ssh_known_hosts');
  });
  afterAll(() => rm(folder, { recursive: true }));
  const trustWith = async (text: string): Promise<ReturnType<typeof createHostTrust>> => {
    await writeFile(systemFile, text);
    const store = createTrustStore(join(folder, 'known-hosts.json'));
    for (const { host } of await store.list()) await store.forget(host);
    return createHostTrust({ home: folder, store, systemFiles: [systemFile], now: () => 5000 });
  };

  it('is unknown for unlisted hosts', async () => {
    const knowledge = await (await trustWith('')).look({ host: 'node', port: 22 });
    expect(knowledge.keyTypes).toEqual([]);
    expect(knowledge.checkHostKey(one.blob)).toBe('unknown');
  });

  it('fault 02: refuses another key of the known type, with its place', async () => {
    const knowledge = await (await trustWith(`# first\n${line('node')}\n`)).look({ host: 'node', port: 22 });
    expect(knowledge.checkHostKey(one.blob)).toBe('trusted');
    expect(() => knowledge.checkHostKey(other.blob)).toThrow(
      expect.objectContaining({
        code: 'host_key_changed',
        params: expect.objectContaining({ place: `${systemFile}:2` }) as unknown,
      }),
    );
  });

  it('a key of another type than the known one is unknown, and the known type is requested first', async () => {
    const rsa = partsOf(keyOf('rsa'));
    const knowledge = await (await trustWith(`${line('node', rsa)}\n`)).look({ host: 'node', port: 22 });
    expect(knowledge.keyTypes).toEqual(['ssh-rsa']);
    expect(knowledge.checkHostKey(one.blob)).toBe('unknown');
    expect(knowledge.knownOther).toEqual([
      { keyType: 'ssh-rsa', fingerprint: fingerprintOf(rsa.blob), place: `${systemFile}:1` },
    ]);
  });

  it('fault 04: a damaged line blocks the hosts that it may name, and is skipped for all others', async () => {
    const text = `${line('good')}\nbad ssh-ed25519 AAAA\n@revoked *.lab ssh-ed25519 AAAA\ntor\n`;
    const trust = await trustWith(text);
    const good = await trust.look({ host: 'good', port: 22 });
    expect(good.checkHostKey(one.blob)).toBe('trusted');
    expect(good.skippedLines).toHaveLength(3);
    expect(good.skippedLines[0]?.en).toContain(`${systemFile}, line 2: `);
    for (const [host, port, at] of [
      ['bad', 22, 2],
      ['bad', 2222, 2],
      ['x.lab', 22, 3],
      ['torn', 22, 4],
    ] as const)
      await expect(trust.look({ host, port })).rejects.toMatchObject({
        code: 'known_hosts_unreadable',
        params: { path: systemFile, line: at },
      });
    expect((await trust.look({ host: 'else', port: 22 })).checkHostKey(one.blob)).toBe('unknown');
  });

  it('fault 04: a damaged hashed name blocks new hosts only; a damaged marker blocks nobody', async () => {
    const trust = await trustWith(`${line('good')}\n|1|abc= ssh-ed25519 ${one.base64}\n`);
    expect((await trust.look({ host: 'good', port: 22 })).checkHostKey(one.blob)).toBe('trusted');
    const unknown = await trust.look({ host: 'new', port: 22 });
    expect(() => unknown.checkHostKey(one.blob)).toThrow(
      expect.objectContaining({ code: 'known_hosts_unreadable' }),
    );
    for (const text of [`@revoked |1|abc= ssh-ed25519 ${one.base64}\n`, `@unknown ${line('*')}\n`])
      await expect((await trustWith(text)).look({ host: 'new', port: 22 })).rejects.toMatchObject({
        code: 'known_hosts_unreadable',
      });
  });

  it('fault 03: refuses a revoked key even if it is also known', async () => {
    const trust = await trustWith(`${line('node')}\n@revoked ${line('*')}\n`);
    const knowledge = await trust.look({ host: 'node', port: 2222 });
    expect(() => knowledge.checkHostKey(one.blob)).toThrow(
      expect.objectContaining({ code: 'host_key_revoked' }),
    );
    await trust.accept({ host: 'node', port: 2222 }, one.blob);
    const again = await trust.look({ host: 'node', port: 2222 });
    expect(() => again.checkHostKey(one.blob)).toThrow(expect.objectContaining({ code: 'host_key_revoked' }));
  });

  it('does not accept an authority’s key as the host’s', async () => {
    const knowledge = await (
      await trustWith(`@cert-authority ${line('*')}\n`)
    ).look({ host: 'node', port: 22 });
    expect(knowledge.checkHostKey(one.blob)).toBe('unknown');
  });

  it('accepts a name without port for another port, but reports no conflict for it', async () => {
    const knowledge = await (await trustWith(line('node'))).look({ host: 'node', port: 2222 });
    expect(knowledge.checkHostKey(one.blob)).toBe('trusted');
    expect(knowledge.checkHostKey(other.blob)).toBe('unknown');
  });

  describe('behind jump hosts', () => {
    const behind = (gate: string, host = 'node', port = 2222) => ({
      ...{ host, port },
      jump: { user: 'Ann', host: gate, port: 22 },
    });

    it('an address is another machine behind others: each has its own key', async () => {
      const trust = await trustWith('');
      await trust.accept(behind('gpu1'), one.blob);
      await trust.accept(behind('gpu2'), other.blob);
      expect((await trust.look(behind('gpu1'))).checkHostKey(one.blob)).toBe('trusted');
      const second = await trust.look(behind('GPU2'));
      expect(second.checkHostKey(other.blob)).toBe('trusted');
      expect(() => second.checkHostKey(one.blob)).toThrow(
        expect.objectContaining({
          code: 'host_key_changed',
          params: expect.objectContaining({ host: '[node]:2222 via ann@gpu2:22' }) as unknown,
        }),
      );
      expect((await trust.look({ host: 'node', port: 2222 })).checkHostKey(one.blob)).toBe('unknown');
      const store = createTrustStore(join(folder, 'known-hosts.json'));
      expect(await store.forget('[node]:2222 via ann@gpu1:22')).toBe(true);
      expect((await trust.look(behind('gpu1'))).checkHostKey(one.blob)).toBe('unknown');
    });

    it('a key of the address alone is trusted, shown with the question about another, and contradicts none', async () => {
      const trust = await trustWith(`[node]:2222 ${one.type} ${one.base64}\n`);
      const knowledge = await trust.look(behind('gpu1'));
      expect(knowledge.checkHostKey(one.blob)).toBe('by-address');
      expect(knowledge.checkHostKey(other.blob)).toBe('unknown');
      expect(knowledge.knownOther).toMatchObject([{ fingerprint: fingerprintOf(one.blob) }]);
      await trust.accept({ host: 'far', port: 22 }, one.blob);
      expect((await trust.look(behind('gpu1', 'far', 22))).checkHostKey(one.blob)).toBe('by-address');
      await trust.accept(behind('gpu1', 'far', 22), other.blob);
      const known = await trust.look(behind('gpu1', 'far', 22));
      expect(() => known.checkHostKey(one.blob)).toThrow(
        expect.objectContaining({ code: 'host_key_changed' }),
      );
    });

    it('a long chain has a name that the store can keep', async () => {
      const trust = await trustWith('');
      const far = Array.from({ length: 16 }).reduce<{ user: string; host: string; port: number }>(
        (jump, _, index) => ({ user: 'ann', host: `${'x'.repeat(100)}${index}`, port: 22, jump }),
        { user: 'ann', host: 'gate', port: 22 },
      );
      await trust.accept(far, one.blob);
      expect((await trust.look(far)).checkHostKey(one.blob)).toBe('trusted');
      expect((await trust.look({ ...far, host: 'other' })).checkHostKey(one.blob)).toBe('unknown');
    });
  });

  it('stores, lists and removes accepted keys', async () => {
    const trust = await trustWith('');
    await Promise.all([
      trust.accept({ host: 'Node', port: 2222 }, one.blob),
      trust.accept({ host: 'b', port: 22 }, other.blob),
    ]);
    const store = createTrustStore(join(folder, 'known-hosts.json'));
    expect((await store.list()).map(({ host, addedAt }) => [host, addedAt]).sort()).toEqual([
      ['[node]:2222', 5],
      ['b', 5],
    ]);
    expect((await trust.look({ host: 'node', port: 2222 })).checkHostKey(one.blob)).toBe('trusted');
    expect(await store.forget('[node]:2222')).toBe(true);
    expect(await store.forget('[node]:2222')).toBe(false);
    expect((await trust.look({ host: 'node', port: 2222 })).checkHostKey(one.blob)).toBe('unknown');
  });

  it('fault 04: refuses a damaged trust store and leaves it unchanged', async () => {
    const path = join(folder, 'damaged.json');
    await writeFile(path, '{"version":1,"hosts":[{"host":1}]}');
    const store = createTrustStore(path);
    await expect(store.list()).rejects.toMatchObject({ code: 'known_hosts_unreadable', params: { path } });
    const entry = { host: 'a', keyType: one.type, key: one.base64, addedAt: 1 };
    await expect(store.add(entry)).rejects.toMatchObject({ code: 'known_hosts_unreadable' });
    expect(await readFile(path, 'utf8')).toContain('"host":1');
  });
});
