import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainWheel, startIndex } from '../../../transfer/testing/small-index.ts';
import { createUvKeeper, uvVersion } from './uv.ts';
import { linesIn, type Line } from '../../../../shared/base/phrase.ts';

const wheel = `uv-${uvVersion}-py3-none-musllinux_1_1_x86_64.whl`;
let folder = '';
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-uv-'));
});
afterEach(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An index whose file of the right name and size has other bytes. Answers each request by its path alone. */
async function startForger(): Promise<string> {
  const page = `<a href="/files/${wheel}#sha256=00">${wheel}</a>`;
  const bytes = Buffer.alloc(19_295_638);
  server = createServer((socket) => {
    socket.once('data', (text) => {
      const body = String(text).startsWith('GET /files/') ? bytes : Buffer.from(page);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`);
      socket.end(body);
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
  // Listening on TCP, it has an address with a port.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/simple`;
}

describe('uv on this computer', () => {
  const keeper = () => createUvKeeper(folder, { allows: () => true, fallback: [] });
  const place = () => join(folder, uvVersion, 'x86_64', 'uv');

  it('is not taken from an index that sends other bytes, and nothing is kept', async () => {
    const log: Line[] = [];
    const forger = await startForger();
    await expect(keeper().get('x86_64', [forger], (line) => log.push(line))).rejects.toMatchObject({
      code: 'uv_missing',
      params: { kept: place() },
    });
    expect(linesIn(log, 'en')).toContain('arrived damaged');
    expect(existsSync(place())).toBe(false);
    expect(existsSync(`${place()}.part`)).toBe(false);
  });

  it('every index is asked, and why none has it is said', async () => {
    const [one, two] = await Promise.all([startIndex([]), startIndex([plainWheel('uv', uvVersion)])]);
    const log: Line[] = [];
    const asking = keeper().get('x86_64', [one.index, two.index], (line) => log.push(line));
    await expect(asking).rejects.toMatchObject({
      code: 'uv_missing',
      params: { reason: `${two.index}/uv/ could not be downloaded: it has no ${wheel}` },
    });
    expect(log).toHaveLength(2);
    await Promise.all([one.close(), two.close()]);
  });

  it('is asked of PyPI, too, where the experiment’s own index has packages of another kind', async () => {
    const [builds, main] = await Promise.all([
      startIndex([plainWheel('torch', '2.9.1')], 'whl/cu126'),
      startIndex([plainWheel('uv', uvVersion)]),
    ]);
    const whole = createUvKeeper(folder, { allows: () => true, fallback: [main.index, builds.index] });
    const log: Line[] = [];
    await expect(whole.get('x86_64', [builds.index], (line) => log.push(line))).rejects.toMatchObject({
      params: { reason: `${main.index}/uv/ could not be downloaded: it has no ${wheel}` },
    });
    expect(log).toHaveLength(2);
    await Promise.all([builds.close(), main.close()]);
  });

  it('a file that is not this version is not used', async () => {
    mkdirSync(dirname(place()), { recursive: true });
    writeFileSync(place(), 'another program');
    await expect(keeper().get('x86_64', [], () => undefined)).rejects.toMatchObject({ code: 'uv_missing' });
    await expect(keeper().get('riscv64', [], () => undefined)).rejects.toMatchObject({ code: 'uv_missing' });
  });
});
