import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { createNodeShell, type NodeShell } from './node-shell.ts';
import { pythonIndexes } from '../../../shared/lab/runtime.ts';
import { reachedFrom } from './outward.ts';
import { StepStatus } from './readiness.ts';
import { labOf } from '../testing/bench.ts';
import { freePort } from '../../ssh/testing/free-port.ts';

const nothing = (): void => undefined;

test.each(['curl', 'wget', 'bash'])(
  'outgoing connections are probed with %s alone',
  async (program) => {
    const folder = mkdtempSync(join(tmpdir(), 'ringlab-outward-'));
    // A server that returns an error for the bare address is reachable.
    const server = createServer((socket) => {
      socket.on('error', nothing);
      socket.once('data', () => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'));
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const there = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      const gone = `127.0.0.1:${await freePort()}`;
      const urls = [`http://${there}/pets.tar`, `http://${gone}/pets.tar`];
      const lab = labOf(['anna'], { data: { type: 'url', urls, sha256: 'a'.repeat(64) } });
      const path = join(folder, 'bin');
      mkdirSync(path);
      for (const name of ['sed', 'sort', 'head', 'tr', 'timeout', program])
        symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(path, name));
      const session = createLocalShell({ home: folder, path });
      const shell = createNodeShell(
        session,
        new StepStatus('facts', nothing, nothing),
        new AbortController().signal,
      );
      const found = await reachedFrom(shell, lab);
      expect(found.filter(({ address }) => address.startsWith('127.'))).toEqual(
        [
          { address: there, reached: true },
          { address: gone, reached: false },
        ].sort((a, b) => (a.address < b.address ? -1 : 1)),
      );
    } finally {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  30_000,
);

test('an own script without a runtime gets wheels: their indexes are probed', async () => {
  const script = { source: { type: 'folder' as const, path: '/s' }, file: 's.py', arguments: '' };
  const asked: string[] = [];
  const exec: NodeShell['exec'] = (text) => {
    asked.push(text);
    return Promise.resolve({ code: 0, signal: null, stdout: '', stderr: '' });
  };
  const shell: Pick<NodeShell, 'exec'> = { exec };
  await reachedFrom(shell, labOf(['anna'], { script }));
  await reachedFrom(shell, labOf(['anna']));
  expect(asked.map((text) => text.includes(new URL(pythonIndexes[0] ?? '').host))).toEqual([true, false]);
});
