import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  readFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServerTransport } from '../../shared/contract/rpc.ts';
import { ControlFile } from './greeting.ts';
import { connectControl, serveControl, type Control } from './index.ts';

let folder: string;
const controls: Control[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rl-control-'));
});
afterEach(async () => {
  for (const control of controls.splice(0)) await control.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Answers `settings.get`, and records everything else it receives. */
function stub() {
  const received: unknown[] = [];
  const wires: ServerTransport[] = [];
  return {
    received,
    wires,
    serve(wire: ServerTransport) {
      wires.push(wire);
      wire.send({ type: 'hello', protocol: 1, session: 's', lastSeq: 0 });
      wire.onMessage((message) => {
        received.push(message);
        if (message === undefined) return;
        const { id } = message as { id: number };
        wire.send({
          type: 'response',
          id,
          ok: true,
          value: { language: 'en', theme: 'dark', notifications: true },
        });
      });
    },
  };
}
const serve = async (
  dataFolder = folder,
  server: { serve: (wire: ServerTransport) => void } = stub(),
): Promise<Control> => {
  const control = await serveControl({ dataFolder, version: '1', kind: 'cli', serve: server.serve });
  controls.push(control);
  return control;
};
const client = (dataFolder = folder, version = '1') => connectControl(dataFolder, { version, answers: true });
const published = (): ControlFile =>
  ControlFile.parse(JSON.parse(readFileSync(join(folder, 'control.json'), 'utf8')));

describe('the control channel', () => {
  it('answers another program of the same user, and reports when its owner has gone', async () => {
    const control = await serve();
    const other = await client();
    expect(other?.owner).toEqual({ pid: process.pid, kind: 'cli' });
    expect(await other?.api.call('settings.get', {})).toMatchObject({ theme: 'dark' });
    expect(control.answering()).toBe(1);
    const waiting = control.close();
    await other?.lost;
    await expect(other?.api.call('settings.get', {})).rejects.toMatchObject({ code: 'connection_lost' });
    await waiting;
    expect(existsSync(join(folder, 'control.json'))).toBe(false);
    expect(await client()).toBeUndefined();
  });

  it('is accessible for its user only: folder 0700, socket and file 0600', async () => {
    chmodSync(folder, 0o755);
    await serve();
    const { address } = published();
    expect(statSync(dirname(address)).mode & 0o777).toBe(0o700);
    expect(statSync(address).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'control.json')).mode & 0o777).toBe(0o600);
  });

  it('refuses another version and reports both versions', async () => {
    await serve();
    await expect(client(folder, '2')).rejects.toMatchObject({
      code: 'app_version_differs',
      params: { theirs: '1', ours: '2', pid: process.pid },
    });
  });

  it('refuses clients without the secret, and endless lines', async () => {
    const server = stub();
    await serve(folder, server);
    const { address } = published();
    for (const sent of [
      `${JSON.stringify({ protocol: 1, version: '1', secret: 'x'.repeat(43), answers: true })}\n`,
      'GET / HTTP/1.1\n\n',
      'x'.repeat(100_000),
    ]) {
      const socket = connect(address);
      socket.on('error', () => undefined);
      socket.resume();
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(sent);
      await closed;
    }
    expect(server.wires).toEqual([]);
  });

  it('uses another private place if the path is too long for a socket, removed on closing', async () => {
    const long = join(folder, 'x'.repeat(100));
    const control = await serveControl({
      dataFolder: await made(long),
      version: '1',
      kind: 'web',
      serve: stub().serve,
    });
    const { address } = ControlFile.parse(JSON.parse(readFileSync(join(long, 'control.json'), 'utf8')));
    expect(address.startsWith(long)).toBe(false);
    expect(Buffer.byteLength(address)).toBeLessThan(104);
    expect(statSync(dirname(address)).mode & 0o777).toBe(0o700);
    const other = await client(long);
    expect(await other?.api.call('settings.get', {})).toMatchObject({ theme: 'dark' });
    other?.close();
    await control.close();
    expect(existsSync(dirname(address))).toBe(false);
  });

  it('is not used in a place where other users could have created it', async () => {
    await serve();
    const { address } = published();
    chmodSync(dirname(address), 0o777);
    await expect(client()).rejects.toMatchObject({ code: 'control_unsafe' });
    chmodSync(dirname(address), 0o700);
    chmodSync(join(folder, 'control.json'), 0o644);
    await expect(client()).rejects.toMatchObject({ code: 'control_unsafe' });
    rmSync(join(folder, 'control.json'));
    symlinkSync('/etc/hostname', join(folder, 'control.json'));
    await expect(client()).rejects.toMatchObject({ code: 'control_unsafe' });
    rmSync(join(folder, 'control.json'));
    writeFileSync(join(folder, 'control.json'), '{"protocol":', { mode: 0o600 });
    await expect(client()).rejects.toMatchObject({ code: 'control_unsafe' });
  });

  it('stale files of a killed owner block nobody and are replaced', async () => {
    await serve();
    const file = published();
    // As after SIGKILL: the file and the socket exist, but nobody listens.
    for (const control of controls.splice(0)) await control.close();
    writeFileSync(join(folder, 'control.json'), JSON.stringify(file), { mode: 0o600 });
    writeFileSync(file.address, '', { mode: 0o600 });
    await expect(client()).rejects.toMatchObject({ code: 'control_unsafe' });
    await serve();
    const other = await client();
    expect(await other?.api.call('settings.get', {})).toMatchObject({ theme: 'dark' });
    other?.close();
  });

  it('does not mistake a copied data folder for the original', async () => {
    await serve();
    const copy = join(folder, 'copy');
    await made(copy);
    copyFileSync(join(folder, 'control.json'), join(copy, 'control.json'));
    chmodSync(join(copy, 'control.json'), 0o600);
    expect(await client(copy)).toBeUndefined();
    const own = await serveControl({ dataFolder: copy, version: '1', kind: 'cli', serve: stub().serve });
    await own.close();
    const other = await client();
    expect(await other?.api.call('settings.get', {})).toMatchObject({ theme: 'dark' });
    other?.close();
  });

  it('delivers merged and split messages in order', async () => {
    const server = stub();
    await serve(folder, server);
    const { address, secret } = published();
    const socket = connect(address);
    socket.resume();
    const greeting = JSON.stringify({ protocol: 1, version: '1', secret, answers: false });
    const messages = [1, 2, 3].map((id) => JSON.stringify({ type: 'cancel', id, text: 'é' }));
    const bytes = Buffer.from(`${[greeting, ...messages].join('\n')}\nnonsense\n`);
    for (let at = 0; at < bytes.length; at += 7) socket.write(bytes.subarray(at, at + 7));
    await expect.poll(() => server.received.length).toBe(4);
    expect(server.received.slice(0, 3)).toMatchObject([{ id: 1 }, { id: 2, text: 'é' }, { id: 3 }]);
    expect(server.received[3]).toBeUndefined();
    socket.destroy();
  });
});

async function made(path: string): Promise<string> {
  const { mkdir } = await import('node:fs/promises');
  await mkdir(path, { recursive: true });
  return path;
}
