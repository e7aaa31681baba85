/** Tests the script that downloads on a node, with each of the programs that it may find there. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

async function fetchWith(program: string): Promise<number> {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const link = `ln -sf /usr/bin/${program} ${bin}; for name in ${needed}; do file=$(command -v "$name"); case $file in /*) ln -sf "$file" ${bin};; esac; done`;
  execFileSync('sh', ['-c', link]);
  const script = fetchScript(`${server.url}/set.tar`, path(), sha256);
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
  },
);
