import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readClientConfig } from './client-config.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'ringlab-config-'));
  await mkdir(join(home, '.ssh'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true, force: true });
});
const write = (name: string, text: string | Buffer): Promise<void> =>
  writeFile(join(home, '.ssh', name), text);
const read = (program?: string) =>
  readClientConfig({
    home,
    agent: undefined,
    systemConfig: join(home, 'none'),
    ...(program === undefined ? {} : { program }),
  });

const usual = [
  'Host gpu1 gpu2 !gpu3',
  '  HostName %h.cluster.example',
  '  User ada',
  '  ProxyJump bastion',
  'Host bastion',
  '  HostName 10.0.0.1',
  '  Port 2222',
  'Host *.example',
  '  User nobody',
  'Host *',
  '  User everybody',
].join('\n');

describe('the user’s SSH configuration', () => {
  it('has OpenSSH’s meaning: wildcards, Host *, the first value applies, ProxyJump by name', async () => {
    await write('config', usual);
    const { hosts, warnings } = await read();
    expect(warnings).toEqual([]);
    expect(hosts.map(({ alias }) => alias)).toEqual(['gpu1', 'gpu2', 'bastion']);
    expect(hosts[0]).toEqual({
      alias: 'gpu1',
      host: 'gpu1.cluster.example',
      port: 22,
      user: 'ada',
      authentication: { method: 'password' },
      jump: { host: '10.0.0.1', port: 2222, user: 'everybody', authentication: { method: 'password' } },
    });
    expect(hosts[2]).toMatchObject({ host: '10.0.0.1', port: 2222, user: 'everybody' });
  });

  it('fault 05: may have a byte order mark, CRLF and UTF-16', async () => {
    for (const bytes of [
      Buffer.from(`\uFEFF${usual.replaceAll('\n', '\r\n')}`, 'utf8'),
      Buffer.from(`\uFEFF${usual.replaceAll('\n', '\r\n')}`, 'utf16le'),
    ]) {
      await write('config', bytes);
      expect((await read()).hosts[1]).toMatchObject({
        alias: 'gpu2',
        host: 'gpu2.cluster.example',
        user: 'ada',
      });
    }
  });

  it('fault 06: a recursive Include and Match exec are skipped and reported, and nothing is run', async () => {
    const proof = join(home, 'was-run');
    await write('more', `Host inner\n  HostName 10.1.1.1\nInclude config\nInclude missing\n`);
    await write(
      'config',
      [
        'Include more',
        `Match exec "touch ${proof}"`,
        '  User wrong',
        `Match host inner !exec "touch ${proof}"`,
        '  User wrong',
        'Host outer',
        '  HostName 10.2.2.2',
        'Host *',
        '  User right',
      ].join('\n'),
    );
    const { hosts, warnings } = await read();
    expect(existsSync(proof)).toBe(false);
    expect(hosts.map(({ alias, host, user }) => [alias, host, user])).toEqual([
      ['inner', '10.1.1.1', 'right'],
      ['outer', '10.2.2.2', 'right'],
    ]);
    expect(warnings.map(({ kind }) => kind).sort()).toEqual(['include_cycle', 'match_exec']);
  });

  it('uses the existing key, files by pattern, and follows a chain of jump hosts', async () => {
    await mkdir(join(home, '.ssh', 'conf.d'));
    await write('id_lab', 'a key');
    await write(
      'conf.d/a.conf',
      `Host a\n  IdentityFile ${home}/.ssh/id_lab\n  ProxyJump one,eve@two:2200\nHost one\n  HostName 10.0.0.1\n  ProxyJump zero\nHost two\n  ProxyJump elsewhere\nHost zero\n  ProxyJump a\n`,
    );
    await write('conf.d/b.conf', 'Host "b c"\nHost b\n  HostName 10.0.0.9\n');
    await write('config', 'Include conf.d/*.conf\n');
    const { hosts, warnings } = await read();
    expect(hosts.find(({ alias }) => alias === 'a')?.authentication).toEqual({
      method: 'key',
      keyFile: join(home, '.ssh', 'id_lab'),
    });
    expect(hosts.find(({ alias }) => alias === 'b')?.host).toBe('10.0.0.9');
    // The first hop's own ProxyJump is followed; the second's is not.
    expect(hosts.find(({ alias }) => alias === 'a')?.jump).toMatchObject({
      ...{ host: 'two', port: 2200, user: 'eve' },
      jump: { host: '10.0.0.1', port: 22, jump: { host: 'zero' } },
    });
    expect(warnings).toEqual(expect.arrayContaining([{ kind: 'refused', file: 'b c' }]));
  });

  it('has users of a Windows domain and Windows paths as they are written, with and without OpenSSH', async () => {
    await write(
      'config',
      String.raw`Host plain
  User CORP\anna
  IdentityFile C:\Users\anna\.ssh\work
Host quoted
  User "CORP\anna"
  ProxyJump CORP\bert@gate
Host gate
  HostName 10.0.0.1
`,
    );
    for (const program of [undefined, '/nowhere/ssh']) {
      const { hosts, warnings } = await read(program);
      expect(warnings.filter(({ kind }) => kind === 'unreadable_line')).toEqual([]);
      expect(hosts.map(({ user }) => user).slice(0, 2)).toEqual([
        String.raw`CORP\anna`,
        String.raw`CORP\anna`,
      ]);
      expect(hosts[1]?.jump).toMatchObject({ host: '10.0.0.1', user: String.raw`CORP\bert` });
    }
  });

  it('has jump hosts with IPv6 addresses and names of any letters, with and without OpenSSH', async () => {
    await write(
      'config',
      `Host one
  ProxyJump [2001:db8::7]:2200
Host two
  ProxyJump müller@10.0.0.7
Host three
  ProxyJump ada@[2001:db8::7]
`,
    );
    for (const program of [undefined, '/nowhere/ssh']) {
      const { hosts, warnings } = await read(program);
      expect(warnings.filter(({ kind }) => kind !== 'without_openssh')).toEqual([]);
      expect(hosts.map(({ jump }) => [jump?.host, jump?.port])).toEqual([
        ['2001:db8::7', 2200],
        ['10.0.0.7', 22],
        ['2001:db8::7', 22],
      ]);
      expect(hosts.slice(1).map(({ jump }) => jump?.user)).toEqual(['müller', 'ada']);
    }
  });

  it('reports lines that OpenSSH’s versions read differently, and drops them alone', async () => {
    for (const line of [
      String.raw`User CORP\\anna`,
      String.raw`User "CORP\anna\"`,
      String.raw`IdentityFile \\server\keys\work`,
      String.raw`ProxyJump "a\"b"`,
      'User',
    ]) {
      await write('config', `Host one\n  ${line}\n  HostName 10.0.0.1\n`);
      const { hosts, warnings } = await read();
      expect(warnings).toEqual([{ kind: 'unreadable_line', file: join(home, '.ssh', 'config') }]);
      expect(hosts).toMatchObject([{ alias: 'one', host: '10.0.0.1' }]);
      expect(hosts[0]?.jump).toBeUndefined();
    }
  });

  it('has key files with OpenSSH’s tokens and variables, of a node and of its jump host', async () => {
    for (const name of ['one_key', '10.0.0.2', 'ada@22', 'of 50%', 'gate']) await write(name, 'a key');
    vi.stubEnv('RINGLAB_TEST_FOLDER', join(home, '.ssh'));
    await write(
      'config',
      String.raw`Host one
  IdentityFile ~/.ssh/%n_key
  ProxyJump gate
Host two
  HostName 10.0.0.2
  IdentityFile %d/.ssh/%x
  IdentityFile %d/.ssh/%h
Host three
  User ada
  IdentityFile ${'${RINGLAB_TEST_FOLDER}'}/%r@%p
Host four
  IdentityFile "~/.ssh/of 50%%"
Host five
  IdentityFile ${'${RINGLAB_TEST_ABSENT}'}/one_key
Host gate
  IdentityFile ~/.ssh/%n
`,
    );
    const { hosts, warnings } = await read();
    expect(warnings).toEqual([]);
    const key = (keyFile: string): unknown => ({ method: 'key', keyFile });
    expect(hosts.map(({ authentication }) => authentication)).toEqual([
      key('~/.ssh/one_key'),
      key(`${home}/.ssh/10.0.0.2`),
      key(`${home}/.ssh/ada@22`),
      key('~/.ssh/of 50%'),
      { method: 'password' },
      key('~/.ssh/gate'),
    ]);
    expect(hosts[0]?.jump?.authentication).toEqual(key('~/.ssh/gate'));
  });

  it('uses the agent where the key file is the public one, as for keys that only the agent has', async () => {
    await write(
      'work.pub',
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE1RXKPf3OZKXNzXYcjg9OQrVJQ1Zbs7mxBCMdC0mJPz me\n',
    );
    await write('lab', 'a key');
    await write(
      'config',
      'Host one\n  IdentityFile ~/.ssh/work.pub\nHost two\n  IdentityFile ~/.ssh/lab\n  IdentityFile ~/.ssh/work.pub\n',
    );
    const login = async (agent: string | undefined): Promise<unknown> =>
      (await readClientConfig({ home, agent, systemConfig: join(home, 'none') })).hosts.map(
        ({ authentication }) => authentication,
      );
    const lab = { method: 'key', keyFile: '~/.ssh/lab' };
    expect(await login('/run/agent')).toEqual([{ method: 'agent' }, lab]);
    expect(await login(undefined)).toEqual([{ method: 'password' }, lab]);
  });

  it('splits a jump host’s user at the last @, and expands tokens in it', async () => {
    await write(
      'config',
      `Host one
  ProxyJump ada@corp.example@gate
Host gpu
  HostName gpu.example
  ProxyJump %n-gate,%r@%h-%p
  User bob
  Port 33
Host gate
  HostName 10.0.0.1
Host gpu-gate
  HostName 10.0.0.2
  ProxyJump bastion%%1
`,
    );
    const [asked, alone] = [await read(), await read('/nowhere/ssh')];
    expect(asked.hosts[0]?.jump).toMatchObject({ host: '10.0.0.1', user: 'ada@corp.example' });
    expect(asked.hosts[1]?.jump).toMatchObject({
      ...{ host: 'gpu.example-33', port: 22, user: 'bob' },
      jump: { host: '10.0.0.2', jump: { host: 'bastion%1' } },
    });
    expect(alone.hosts).toEqual(asked.hosts);
  });

  it('goes on in the same block after an Include, with and without OpenSSH', async () => {
    await write('extra', 'Include deeper\nCompression yes\nHost b\n  User bob\n');
    await write('deeper', 'Host c\n  User carl\n');
    await write(
      'config',
      'Include extra\nUser ada\nHost a\n  Include deeper\n  Port 2222\nHost d\n  HostName 10.0.0.4\n',
    );
    const [asked, alone] = [await read(), await read('/nowhere/ssh')];
    expect(asked.hosts.map(({ alias, user, port }) => [alias, user, port])).toEqual([
      ['c', 'carl', 22],
      ['b', 'bob', 22],
      ['a', 'ada', 2222],
      ['d', 'ada', 22],
    ]);
    expect(alone.hosts).toEqual(asked.hosts);
  });

  it('reports that there is no configuration', async () => {
    await expect(read()).rejects.toMatchObject({ code: 'file_unreadable' });
  });

  it('is parsed without OpenSSH if it is missing: patterns, Includes and jump hosts give the same', async () => {
    await mkdir(join(home, '.ssh', 'conf.d'));
    await write('conf.d/gate.conf', 'Host gate\n  HostName 10.9.9.9\n  User ada\n');
    await write(
      'config',
      `Include conf.d/*.conf\n${usual}\nMatch user x\n  Port 99\nHost far\n  ProxyJump gate\n`,
    );
    const [asked, alone] = [await read(), await read('/nowhere/ssh')];
    expect(alone.warnings).toEqual([...asked.warnings, { kind: 'without_openssh', file: '/nowhere/ssh' }]);
    expect(alone.hosts).toEqual(asked.hosts);
    expect(alone.hosts.find(({ alias }) => alias === 'far')?.jump?.host).toBe('10.9.9.9');
  });
});
