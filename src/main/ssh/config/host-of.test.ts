import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { agentKeys } from '../login/agent.ts';
import { readClientConfig, type ClientConfig } from './client-config.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'ringlab-hosts-'));
  await mkdir(join(home, '.ssh'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true, force: true });
});

const write = (name: string, text: string): Promise<void> => writeFile(join(home, '.ssh', name), text);
const read = (agent?: string, program = 'ssh'): Promise<ClientConfig> =>
  readClientConfig({ home, agent, keysOf: agentKeys, systemConfig: join(home, 'none'), program });

it.each(['ssh', '/nowhere/ssh'])(
  'a jump host that needs a ProxyCommand is reported, unless another one leads to it (%s)',
  async (program) => {
    const warned = async (jumps: string): Promise<string[]> => {
      await write('config', `Host far\n  ProxyJump ${jumps}\nHost *.example\n  ProxyCommand relay %h\n`);
      const { warnings } = await read(undefined, program);
      return warnings.flatMap(({ kind, file }) => (kind === 'proxy_command' ? [file] : []));
    };
    expect(await warned('gate.example')).toEqual(['gate.example']);
    expect(await warned('gate,inner.example')).toEqual([]);
  },
);

it('names keywords that decide the login and are not used, unless they change nothing here', async () => {
  const kinds = async (): Promise<string[]> =>
    (await read()).warnings.map(({ kind, file }) => `${kind} ${file.replace(home, '~')}`);
  await write('more', 'Host a\n  HostKeyAlias b\n  CertificateFile ~/.ssh/signed.pub\n');
  await write('config', 'Include more\nHost b\n  CertificateFile none\n');
  expect(await kinds()).toEqual(['host_key_alias ~/.ssh/more', 'certificate_file ~/.ssh/more']);
});

it.each(['ssh', '/nowhere/ssh'])('uses the agent that IdentityAgent names (%s)', async (program) => {
  vi.stubEnv('RINGLAB_TEST_AGENT', '/run/other.sock');
  await write(
    'config',
    `Host spaces
  IdentityAgent "${home}/Group 50%%/agent.sock"
Host variable
  IdentityAgent $RINGLAB_TEST_AGENT
Host unset
  IdentityAgent $RINGLAB_TEST_ABSENT
Host none
  IdentityAgent none
Host own
  IdentityAgent SSH_AUTH_SOCK
Host same
  IdentityAgent ${home}/own.sock
Host behind
  IdentityAgent none
  ProxyJump spaces
`,
  );
  const { hosts, warnings } = await read(join(home, 'own.sock'), program);
  expect(warnings.filter(({ kind }) => kind !== 'without_openssh')).toEqual([]);
  const spaces = { method: 'agent', socket: join(home, 'Group 50%', 'agent.sock') };
  expect(Object.fromEntries(hosts.map(({ alias, authentication }) => [alias, authentication]))).toEqual({
    spaces,
    variable: { method: 'agent', socket: '/run/other.sock' },
    unset: { method: 'password' },
    none: { method: 'password' },
    own: { method: 'agent' },
    same: { method: 'agent' },
    behind: { method: 'password' },
  });
  expect(hosts.at(-1)?.jump?.authentication).toEqual(spaces);
});

describe('of several keys that ssh would try', () => {
  const makeKey = (name: string): void =>
    void execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(home, '.ssh', name)]);
  const logins = async (agent?: string): Promise<unknown> => {
    const { hosts, warnings } = await read(agent);
    return { logins: hosts.map(({ authentication }) => authentication), warnings };
  };
  const key = (name: string): unknown => ({ method: 'key', keyFile: `~/.ssh/${name}` });
  const several = (name: string): unknown => ({ kind: 'several_keys', file: `~/.ssh/${name}` });

  it('the first is used, and named', async () => {
    for (const name of ['id_rsa', 'id_ed25519', 'work']) makeKey(name);
    await write('config', 'Host a\n');
    expect(await logins()).toEqual({ logins: [key('id_rsa')], warnings: [several('id_rsa')] });
    expect(await logins(join(home, 'no-agent'))).toEqual({
      logins: [key('id_rsa')],
      warnings: [several('id_rsa')],
    });
    await write('config', 'Host a b\n  IdentityFile ~/.ssh/work\nHost b\n  IdentityFile ~/.ssh/id_rsa\n');
    expect(await logins()).toEqual({ logins: [key('work'), key('work')], warnings: [several('work')] });
  });

  it('the agent is used where it has one of them, unless the user names another', async () => {
    const socket = join(home, 'agent.sock');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      // It prints its address once it listens.
      await once(agent.stdout, 'data');
      makeKey('id_rsa');
      await write('config', 'Host a\n');
      expect(await logins(socket)).toEqual({ logins: [key('id_rsa')], warnings: [] });
      for (const name of ['id_ed25519', 'work']) makeKey(name);
      const env = { ...process.env, SSH_AUTH_SOCK: socket };
      execFileSync('ssh-add', ['-q', join(home, '.ssh', 'id_ed25519')], { env, stdio: 'ignore' });
      await write('config', 'Host a\nHost b\n  IdentityFile ~/.ssh/work\n');
      expect(await logins(socket)).toEqual({ logins: [{ method: 'agent' }, key('work')], warnings: [] });
      await rm(join(home, '.ssh', 'id_ed25519'));
      expect(await logins(socket)).toEqual({
        logins: [key('id_rsa'), key('work')],
        warnings: [several('id_rsa')],
      });
    } finally {
      const gone = once(agent, 'exit');
      agent.kill();
      await gone;
    }
  });
});
