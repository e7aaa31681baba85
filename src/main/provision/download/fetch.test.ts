/** Tests the script that downloads on a node, with each of the programs that it may find there. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFileServer, type FileServer } from '../../transfer/testing/file-server.ts';
import { fetchScript } from './fetch.ts';

const bytes = randomBytes(100_000);
const sha256 = createHash('sha256').update(bytes).digest('hex');
const needed = 'basename cat cut dirname flock kill ls mkdir mv rm sh sha256sum sleep uname wc';

let folder = '';
let server: FileServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-fetch-'));
  mkdirSync(join(folder, 'web'));
  writeFileSync(join(folder, 'web', 'set.tar'), bytes);
  server = await startFileServer(join(folder, 'web'));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const path = (): string => join(folder, 'node', 'set.tar');
const part = (): string => `${path()}.part`;

async function fetchWith(program: string, origin = server.url): Promise<number> {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const link = `ln -sf /usr/bin/${program} ${bin}; for name in ${needed}; do file=$(command -v "$name"); case $file in /*) ln -sf "$file" ${bin};; esac; done`;
  execFileSync('sh', ['-c', link]);
  const script = fetchScript(`${origin}/set.tar`, path(), sha256);
  const child = spawn('/bin/sh', ['-c', script], { env: { PATH: bin, no_proxy: '*' }, stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number];
  return code;
}

const have = (program: string): boolean => existsSync(`/usr/bin/${program}`);

describe.each(['curl', 'wget', 'python3'].filter(have))(
  'a download by %s that was interrupted',
  (program) => {
    beforeEach(() => {
      mkdirSync(join(folder, 'node'));
      writeFileSync(part(), bytes.subarray(0, 40_000));
    });

    it('is continued', async () => {
      expect(await fetchWith(program)).toBe(0);
      expect(readFileSync(path()).equals(bytes)).toBe(true);
      expect(server.asked).toEqual([{ path: 'set.tar', from: 40_000 }]);
    });

    it('starts again where the server sends whole files alone', async () => {
      server.ranges = false;
      expect(await fetchWith(program)).toBe(0);
      expect(readFileSync(path()).equals(bytes)).toBe(true);
      expect(existsSync(`${part()}.kept`)).toBe(false);
    });

    it('starts again where its part is longer than the file', async () => {
      writeFileSync(part(), Buffer.concat([bytes, Buffer.from('x')]));
      expect(await fetchWith(program)).toBe(0);
      expect(readFileSync(path()).equals(bytes)).toBe(true);
    });

    it('keeps its part while the server does not have the file', async () => {
      server.spoil = () => undefined;
      expect(await fetchWith(program)).not.toBe(0);
      expect(statSync(part()).size).toBe(40_000);
      expect(existsSync(`${part()}.kept`)).toBe(false);
    });

    it('keeps its part where the request that continues it fails once, and the next breaks early', async () => {
      let requests = 0;
      const breaking = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          requests += 1;
          if (requests === 1) return socket.destroy();
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`);
          return socket.end(bytes.subarray(0, 5000));
        });
      });
      await new Promise<void>((listening) => breaking.listen(0, '127.0.0.1', listening));
      // Listening on TCP, it has an address with a port.
      const { port } = breaking.address() as AddressInfo;
      expect(await fetchWith(program, `http://127.0.0.1:${port}`)).not.toBe(0);
      breaking.close();
      expect(statSync(part()).size).toBe(40_000);
      expect(existsSync(`${part()}.kept`)).toBe(false);
      expect(await fetchWith(program)).toBe(0);
      expect(server.asked).toEqual([{ path: 'set.tar', from: 40_000 }]);
    });

    it('continues the part that was set aside when the download was cancelled', async () => {
      renameSync(part(), `${part()}.kept`);
      writeFileSync(part(), bytes.subarray(0, 5000));
      expect(await fetchWith(program)).toBe(0);
      expect(server.asked).toEqual([{ path: 'set.tar', from: 40_000 }]);
      expect(existsSync(`${part()}.kept`)).toBe(false);
    });
  },
);
