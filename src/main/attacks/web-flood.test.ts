/** Another user of this computer who may reach the web host's port and nothing else: no crash, no files used up, nobody locked out. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDownloads, startWebHost, type WebHost } from '../hosts/web/index.ts';
import { codeOf, connect, enter } from '../hosts/web/testing/page-client.ts';

let folder: string;
let host: WebHost;
let served: number;
const sockets: Socket[] = [];
const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-flood-'));
  await mkdir(join(folder, 'renderer'));
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  await writeFile(join(folder, 'renderer', 'index.html'), '<!doctype html>');
  served = 0;
  host = await startWebHost({
    port: 0,
    rendererFolder: join(folder, 'renderer'),
    downloads: createDownloads(),
    dataFolder: join(folder, 'data'),
    serve: () => {
      served += 1;
    },
  });
  uncaught.length = 0;
  process.on('uncaughtException', note);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await host.close();
  process.off('uncaughtException', note);
  await rm(folder, { recursive: true, force: true });
});

const reach = async (): Promise<Socket> => {
  const socket = connectTcp({ port: host.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve).once('close', () => resolve());
  });
  return socket;
};
const upgrade = (): string =>
  `GET /session/socket HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nOrigin: http://127.0.0.1:${host.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
/** The user's own page comes in meanwhile. */
const enters = async (): Promise<void> => {
  const before = served;
  const { key, cookie } = await enter(host.port, codeOf(host.address()));
  const { socket } = await connect(host.port, key, cookie);
  await expect.poll(() => served).toBe(before + 1);
  socket.close();
};

describe('the web host’s port', () => {
  it('survives sockets that are opened and reset at once', async () => {
    for (let turn = 0; turn < 50; turn += 1) {
      const socket = await reach();
      socket.write(upgrade());
      if (turn % 2 === 0) await sleep(turn % 7);
      socket.resetAndDestroy();
    }
    await sleep(200);
    expect(uncaught).toEqual([]);
    await enters();
  });

  it('closes a refused socket, whether or not the client closes its half', async () => {
    const socket = await reach();
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    // With both halves open here, the host must end it by itself.
    const reset = new Promise((resolve) => socket.once('error', resolve));
    socket.write(upgrade());
    await new Promise((resolve) => socket.once('end', resolve));
    const writing = setInterval(() => socket.write('x'), 20);
    await Promise.race([closed, reset]);
    clearInterval(writing);
  });

  it('limits file descriptors for a thousand incomplete requests, and still serves the user', async () => {
    for (let turn = 0; turn < 1000; turn += 1) {
      const socket = await reach();
      socket.write(turn % 2 === 0 ? 'GET / HTTP/1.1\r\nX: ' : 'POST /session/exchange HTTP/1.1\r\n');
    }
    const open = (): unknown[] =>
      sockets.filter((socket) => !socket.destroyed && !socket.readableEnded && socket.readyState === 'open');
    await expect.poll(() => open().length).toBeLessThanOrEqual(128);
    await enters();
    expect(uncaught).toEqual([]);
  });

  it.each([
    ['a line without an end', `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\n`],
    ['headers without an end', `GET / HTTP/1.1\r\n${'X-A: b\r\n'.repeat(100_000)}`],
    ['a header twice', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    [
      'two lengths',
      'POST /session/exchange HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('refuses %s', async (_what, bytes) => {
    const socket = await reach();
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    const over = new Promise((resolve) => socket.once('close', resolve).once('data', resolve));
    socket.write(bytes, 'latin1');
    await over;
    expect(answer).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
    await enters();
    expect(uncaught).toEqual([]);
  });
});
