import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readClientConfig, type ClientConfig } from './client-config.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'ringlab-hosts-'));
  await mkdir(join(home, '.ssh'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const write = (name: string, text: string): Promise<void> => writeFile(join(home, '.ssh', name), text);
const read = (agent?: string, program = 'ssh'): Promise<ClientConfig> =>
  readClientConfig({ home, agent, systemConfig: join(home, 'none'), program });

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
  const kinds = async (agent?: string): Promise<string[]> =>
    (await read(agent)).warnings.map(({ kind, file }) => `${kind} ${file.replace(home, '~')}`);
  await write('more', 'Host a\n  HostKeyAlias b\n  CertificateFile ~/.ssh/signed.pub\n');
  await write('config', 'Include more\nHost c\n  IdentityAgent "~/Group Containers/agent.sock"\n');
  const ofHosts = ['host_key_alias ~/.ssh/more', 'certificate_file ~/.ssh/more'];
  expect(await kinds()).toEqual([...ofHosts, 'identity_agent ~/.ssh/config']);
  expect(await kinds(join(home, 'Group Containers', 'agent.sock'))).toEqual(ofHosts);
  await write('config', 'Host a\n  IdentityAgent none\nHost b\n  IdentityAgent SSH_AUTH_SOCK\n');
  expect(await kinds()).toEqual([]);
});
