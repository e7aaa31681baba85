/** Tests the proxy behind a lent connection with the requests of curl, apt and micromamba. */
import { lineIn } from '../../shared/base/phrase.ts';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, request, type Server } from 'node:http';
import { connect, createServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucket } from './bucket.ts';
import { downloadFile } from './download.ts';
import { createHttpProxy, type HttpProxy, type HttpProxyOptions } from './http-proxy.ts';

const content = randomBytes(3_000_000);
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let origin: Server;
let proxy: HttpProxy;
let door: TcpServer;
let seen: { url: string; headers: Record<string, unknown> }[] = [];
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

beforeEach(async () => {
  seen = [];
  origin = createHttpServer((asked, answer) => {
    seen.push({ url: asked.url ?? '', headers: asked.headers });
    answer.writeHead(asked.url === '/gone' ? 404 : 200, { 'content-length': content.length }).end(content);
  }).listen(0, '127.0.0.1');
  await once(origin, 'listening');
});
afterEach(() => {
  proxy.close();
  door.close();
  origin.close();
});

async function open(options: HttpProxyOptions = { allows: () => true }): Promise<void> {
  proxy = createHttpProxy(options);
  door = createServer({ allowHalfOpen: true }, (socket) => proxy.serve(socket)).listen(0, '127.0.0.1');
  await once(door, 'listening');
}

async function get(path: string, login: string | undefined): Promise<{ status: number; body: Buffer }> {
  const asked = request({
    host: '127.0.0.1',
    port: portOf(door),
    path: `http://127.0.0.1:${portOf(origin)}${path}`,
    headers: {
      host: `127.0.0.1:${portOf(origin)}`,
      ...(login && { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
    },
  }).end();
  const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(Buffer.from(chunk));
  return { status: answer.statusCode, body: Buffer.concat(chunks) };
}

/** Sends one CONNECT; returns the socket and the first line of the answer. */
async function tunnel(target: string, login: string): Promise<{ socket: Socket; said: string }> {
  const socket = connect(portOf(door), '127.0.0.1');
  const credentials = Buffer.from(login).toString('base64');
  socket.write(
    `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`,
  );
  const [first] = (await once(socket, 'data')) as [Buffer];
  return { socket, said: first.toString('latin1').split('\r\n')[0] ?? '' };
}

test('plain http is forwarded whole, without the password and the proxy’s headers', async () => {
  await open();
  const { status, body } = await get('/packages.xz?arch=all', proxy.login);
  expect([status, hashOf(body)]).toEqual([200, hashOf(content)]);
  expect(seen[0]?.url).toBe('/packages.xz?arch=all');
  expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  expect((await get('/gone', proxy.login)).status).toBe(404);
  expect(proxy.counts().received).toBe(2 * content.length);
});

test('a client without the password is refused', async () => {
  await open();
  expect((await get('/', undefined)).status).toBe(407);
  expect((await get('/', 'ringlab:guess')).status).toBe(407);
  const { said, socket } = await tunnel(`127.0.0.1:${portOf(origin)}`, 'ringlab:guess');
  expect(said).toContain('407');
  socket.destroy();
  expect(seen).toEqual([]);
});

test('a tunnel carries any bytes in both directions, and counts them', async () => {
  await open();
  const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const { socket, said } = await tunnel(`127.0.0.1:${portOf(echo)}`, proxy.login);
  expect(said).toBe('HTTP/1.1 200 Connection established');
  const back: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => back.push(chunk));
  socket.end(content);
  await once(socket, 'end');
  expect(hashOf(Buffer.concat(back))).toBe(hashOf(content));
  expect(proxy.counts()).toMatchObject({ sent: content.length, received: content.length });
  echo.close();
});

test('this computer is not reachable, under any name', async () => {
  await open({});
  expect((await get('/', proxy.login)).status).toBe(403);
  const port = portOf(origin);
  for (const target of [
    'localhost',
    '127.0.0.1',
    '127.1.2.3',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    '0.0.0.0',
  ]) {
    const { said, socket } = await tunnel(`${target}:${port}`, proxy.login);
    expect(`${target} ${said}`).toBe(`${target} HTTP/1.1 403 Forbidden`);
    socket.destroy();
  }
  expect(seen).toEqual([]);
});

test('an address without a listener is reported as bad, and closing ends open connections', async () => {
  await open();
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const port = portOf(closed);
  closed.close();
  const failed = await tunnel(`127.0.0.1:${port}`, proxy.login);
  expect(failed.said).toBe('HTTP/1.1 502 Bad Gateway');
  const { socket } = await tunnel(`127.0.0.1:${portOf(origin)}`, proxy.login);
  expect(proxy.counts().connections).toBeGreaterThan(0);
  const gone = once(socket, 'close');
  proxy.close();
  await gone;
});

/** This computer's own proxy with a password, set in the environment; and an origin whose name is not in DNS. */
async function behindOwnProxy(leftOut = ''): Promise<{ own: HttpProxy; end: () => void }> {
  const own = createHttpProxy({ allows: () => true, onwards: () => undefined });
  const listener = createServer({ allowHalfOpen: true }, (socket) => own.serve(socket)).listen(
    0,
    '127.0.0.1',
  );
  await once(listener, 'listening');
  const address = `http://${own.login}@127.0.0.1:${portOf(listener)}`;
  for (const [name, value] of [
    ['http_proxy', address],
    ['HTTPS_PROXY', address],
    ['no_proxy', leftOut],
  ] as const)
    vi.stubEnv(name, value);
  return {
    own,
    end() {
      vi.unstubAllEnvs();
      own.close();
      listener.close();
    },
  };
}

test('if this computer uses a proxy, everything goes through it, except for excluded hosts', async () => {
  await open();
  const { own, end } = await behindOwnProxy('example.org, 10.0.0.0/8');
  try {
    const { status, body } = await get('/packages.xz', proxy.login);
    expect([status, hashOf(body)]).toEqual([200, hashOf(content)]);
    expect(own.counts().received).toBe(content.length);
    const { socket, said } = await tunnel(`127.0.0.1:${portOf(origin)}`, proxy.login);
    expect(said).toBe('HTTP/1.1 200 Connection established');
    socket.write('GET /through HTTP/1.0\r\n\r\n');
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await once(socket, 'end');
    expect(bytes).toBeGreaterThan(content.length);
    expect(own.counts().received).toBeGreaterThan(2 * content.length);
    expect(seen.map(({ url }) => url)).toEqual(['/packages.xz', '/through']);
    const before = own.counts().received;
    vi.stubEnv('no_proxy', '127.0.0.0/8');
    expect((await get('/again', proxy.login)).status).toBe(200);
    expect(own.counts().received).toBe(before);
  } finally {
    end();
  }
});

test('this computer’s proxy does not lead back to it either; its refusal is reported', async () => {
  await open({});
  const { own, end } = await behindOwnProxy();
  try {
    expect((await get('/', proxy.login)).status).toBe(403);
    const { said } = await tunnel(`localhost:${portOf(origin)}`, proxy.login);
    expect(said).toBe('HTTP/1.1 403 Forbidden');
    expect(own.counts().received).toBe(0);
    vi.stubEnv('HTTPS_PROXY', (process.env.HTTPS_PROXY ?? '').replace('ringlab:', 'somebody:'));
    const other = await tunnel('198.51.100.1:443', proxy.login);
    expect(other.said).toBe('HTTP/1.1 502 Bad Gateway');
    expect(lineIn(proxy.problems().at(-1) ?? '', 'en')).toMatch(
      /^127\.0\.0\.1:\d+ answers 407 for 198\.51\.100\.1:443$/,
    );
  } finally {
    end();
  }
});

test('a file for a bundle is downloaded through it, too', async () => {
  await open();
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-own-proxy-'));
  const { own, end } = await behindOwnProxy();
  try {
    const to = join(folder, 'file');
    await downloadFile(
      `http://127.0.0.1:${portOf(origin)}/file`,
      to,
      { max: content.length, allows: () => true },
      new AbortController().signal,
    );
    expect(hashOf(readFileSync(to))).toBe(hashOf(content));
    expect(own.counts().received).toBe(content.length);
  } finally {
    end();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a bucket’s list is downloaded through it, too, except for excluded hosts', async () => {
  await open();
  const { own, end } = await behindOwnProxy();
  try {
    const list = async (): Promise<void> => {
      const endpoint = `http://127.0.0.1:${portOf(origin)}`;
      const bucket = createBucket({ endpoint, region: '', bucket: 'pets', accessKeyId: '' }, '');
      // The origin is not a bucket: an error about its answer shows that it was reached.
      await expect(bucket.list('', undefined)).rejects.toMatchObject({ code: 'bucket_refused' });
    };
    await list();
    expect(own.counts().received).toBeGreaterThanOrEqual(content.length);
    const before = own.counts().received;
    vi.stubEnv('no_proxy', '127.0.0.0/8');
    await list();
    expect(own.counts().received).toBe(before);
    expect(seen).toHaveLength(2);
  } finally {
    end();
  }
});
