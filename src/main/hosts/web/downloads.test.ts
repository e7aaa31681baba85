import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDownloads } from './downloads.ts';

const timesOpen = (path: string): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      // Closed meanwhile.
      return false;
    }
  }).length;

it.runIf(process.platform === 'linux')(
  'the file of a download that the browser cancels is closed',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ringlab-download-'));
    const path = join(folder, 'model.pth.tar');
    await writeFile(path, '');
    // More than sockets hold.
    await truncate(path, 200_000_000);
    const downloads = createDownloads();
    const { url = '' } = await downloads.offer({ path, name: 'model.pth.tar' });
    const server = createServer((_, response) => {
      void downloads.serve(url.split('/').at(-1) ?? '', response, 'en');
    });
    onTestFinished(async () => {
      server.close();
      await rm(folder, { recursive: true });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A TCP server's address is one of a port.
    const { port } = server.address() as AddressInfo;
    const asked = request({ host: '127.0.0.1', port });
    await new Promise<void>((resolve) => {
      asked.once('response', (response) => {
        response.once('data', () => {
          expect(timesOpen(path)).toBe(1);
          response.destroy();
          resolve();
        });
      });
      asked.end();
    });
    await expect.poll(() => timesOpen(path)).toBe(0);
  },
);
