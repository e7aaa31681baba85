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
