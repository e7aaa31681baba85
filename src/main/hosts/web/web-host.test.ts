import { mkdtemp, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RinglabError } from '../../../shared/errors.ts';
import type { ServerTransport } from '../../../shared/rpc.ts';
import { createDownloads, startWebHost, type WebHost } from './index.ts';

let folder: string;
let host: WebHost;
let token: string;
const refused: RinglabError[] = [];
const served: ServerTransport[] = [];
const downloads = createDownloads();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-web-'));
  await mkdir(join(folder, 'renderer'));
  await writeFile(join(folder, 'renderer', 'index.html'), '<!doctype html><title>Ringlab</title>');
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await symlink(join(folder, 'secret.txt'), join(folder, 'renderer', 'link.txt'));
  host = await startWebHost({
    port: 0,
    rendererFolder: join(folder, 'renderer'),
    downloads,
    tokenFile: join(folder, 'web-token'),
    serve: (transport) => {
      served.push(transport);
      transport.onMessage((message) => transport.send({ type: 'response', id: 1, ok: true, value: message }));
    },
    onRefused: (error) => refused.push(error),
  });
  token = /#token=(.+)$/.exec(host.url)?.[1] ?? '';
});
afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

/** Node's fetch does not let a caller set Host; a plain request does. */
function get(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: host.port, path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

function connect(options: { origin?: string; token?: string; host?: string }): Promise<WebSocket> {
  const protocols = ['ringlab', ...(options.token === undefined ? [] : [`ringlab.token.${options.token}`])];
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/ws`, protocols, {
    headers: {
      ...(options.origin === undefined ? {} : { Origin: options.origin }),
      ...(options.host === undefined ? {} : { Host: options.host }),
    },
  });
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(socket));
    socket.on('error', reject);
  });
}

describe('the web host', () => {
  it('serves the renderer with a strict policy', async () => {
    const page = await get('/');
    expect(page.status).toBe(200);
    expect(page.body).toContain('Ringlab');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  });

  it.each(['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/link.txt', '/%00', '/%'])(
    'serves nothing outside its folder: %s',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(answer.body).not.toContain('secret');
    },
  );

  it('fault 40: refuses a foreign Host, as DNS rebinding sends it, and logs it', async () => {
    const before = refused.length;
    expect((await get('/', { Host: 'evil.example' })).status).toBe(403);
    expect((await get('/', { Host: `127.0.0.1.evil.example:${host.port}` })).status).toBe(403);
    expect((await get('/', { Origin: 'http://evil.example' })).status).toBe(403);
    expect(refused.slice(before).map((error) => error.code)).toEqual([
      'origin_refused',
      'origin_refused',
      'origin_refused',
    ]);
  });

  it('fault 40: refuses a WebSocket with a foreign Origin, none, or a bad token', async () => {
    const origin = `http://127.0.0.1:${host.port}`;
    const before = served.length;
    await expect(connect({ origin: 'http://evil.example', token })).rejects.toThrow('403');
    await expect(connect({ token })).rejects.toThrow('403');
    await expect(connect({ origin })).rejects.toThrow('403');
    await expect(connect({ origin, token: 'x'.repeat(43) })).rejects.toThrow('403');
    await expect(connect({ origin, token, host: 'evil.example' })).rejects.toThrow('403');
    expect(served.length).toBe(before);
  });

  it('carries messages for a client with the token, and hands malformed ones on as undefined', async () => {
    const socket = await connect({ origin: `http://127.0.0.1:${host.port}`, token });
    const answer = (): Promise<unknown> =>
      new Promise((resolve) =>
        socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8')))),
      );
    socket.send(JSON.stringify({ hello: '环' }));
    expect(await answer()).toMatchObject({ value: { hello: '环' } });
    socket.send('{not json');
    expect(await answer()).toEqual({ type: 'response', id: 1, ok: true });
    socket.close();
  });

  it('keeps its token readable by the owner alone', async () => {
    expect((await stat(join(folder, 'web-token'))).mode & 0o777).toBe(0o600);
  });

  it('hands a file over once', async () => {
    const delivery = await downloads.offer({ path: join(folder, 'secret.txt'), name: '模型 best.tar' });
    const first = await get(delivery.url ?? '');
    expect(first.body).toBe('secret');
    expect(first.headers['content-disposition']).toContain(encodeURIComponent('模型 best.tar'));
    expect((await get(delivery.url ?? '')).status).toBe(404);
  });
});
