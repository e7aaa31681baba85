import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readClientConfig } from './client-config.ts';

const seventeen = Array.from({ length: 17 }, (_, at) => `hop${at}`).join(',');
it.each(['x%n', '%n%n', 'x%h', 'x%n,two', seventeen])(
  'a ProxyJump %s of all hosts, which names a new one each time or too many, is refused and keeps no other host out',
  async (jump) => {
    const home = await mkdtemp(join(tmpdir(), 'ringlab-jumps-'));
    try {
      await mkdir(join(home, '.ssh'));
      await writeFile(
        join(home, '.ssh', 'config'),
        `Host plain\nProxyJump none\nHost one\nHost *\nProxyJump ${jump}\n`,
      );
      for (const program of ['ssh', '/nowhere/ssh']) {
        const { hosts, warnings } = await readClientConfig({
          home,
          agent: undefined,
          systemConfig: join(home, 'none'),
          program,
        });
        expect(hosts).toMatchObject([{ alias: 'plain', host: 'plain' }]);
        expect(warnings).toContainEqual({ kind: 'refused', file: 'one' });
      }
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
);
